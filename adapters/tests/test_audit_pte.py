"""What the audit of an ExecuTorch program takes for one value."""

from __future__ import annotations

import importlib.util
import unittest

for _package in ("torch", "executorch"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import torch
from executorch.exir import to_edge_transform_and_lower

from adapters.audit.pte import ProgramAudit
from adapters.worker.system import Json


class ViewOfASum(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        view = (x + x).view(4, 1)
        other = torch.cos(y)
        return torch.sin(view), other


class ViewOfAnInput(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        other = torch.cos(y)
        return torch.sin(x.view(4, 1)), other


def plan_of(module: torch.nn.Module) -> Json:
    exported = torch.export.export(module, (torch.ones(4), torch.ones(7)))
    program = to_edge_transform_and_lower(exported).to_executorch().executorch_program
    audit = ProgramAudit(program, program.execution_plan[0])
    audit.run()
    return audit.plans[0]["plan"]


class ElidedViewTest(unittest.TestCase):
    def test_a_view_without_an_instruction_is_its_operand(self) -> None:
        steps = {step["name"].split(maxsplit=1)[1]: step for step in plan_of(ViewOfASum())["steps"]}
        self.assertEqual(steps["sin.out"]["reads"], steps["add.out"]["writes"])

    def test_a_view_of_an_input_is_the_input(self) -> None:
        plan = plan_of(ViewOfAnInput())
        steps = {step["name"].split(maxsplit=1)[1]: step for step in plan["steps"]}
        self.assertEqual(steps["sin.out"]["reads"], ["v0"])
        made = {name for step in plan["steps"] for name in step["makes"]}
        self.assertEqual(made, {storage["name"] for storage in plan["storages"]})  # and none that nobody wrote

    def test_a_result_in_the_place_of_a_dead_value_is_its_own(self) -> None:
        class Chain(torch.nn.Module):
            def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
                return torch.cos(torch.sin(torch.cos(torch.sin(x)))), torch.exp(y)

        plan = plan_of(Chain())
        slots = [tuple(storage["slot"]) for storage in plan["storages"]]
        self.assertLess(len(set(slots)), len(slots))
        self.assertEqual(len(plan["storages"]), 7)  # two inputs and five results


if __name__ == "__main__":
    unittest.main()
