"""Programs that branch and loop, as torch.export saves them. Skipped without torch."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch
from torch._higher_order_ops.map import map as mapped
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from adapters.importing.exported_program import import_program
from adapters.torch.case_module import Sources, case_module
from adapters.torch.control_flow import DIRECT
from adapters.worker.one_answer import RefusedError

Json = dict[str, Any]
# The ops that the oracle is said to know.
OPS = """
add.Tensor add.Scalar sub.Tensor mul.Tensor gt.Scalar lt.Tensor sum.default sum.dim_IntList linear.default
mm.default tanh.default relu.default sin.default matmul.default clone.default full.default neg.default
lift_fresh_copy.default detach_.default addmm.default permute.default t.default zeros.default
"""
KNOWN = {f"aten.{name}" for name in OPS.split()}


class Cond(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.register_buffer("factor", torch.arange(3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: self.layer(x) + 1, lambda x: x * self.factor - 1, (x,))


class While(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
        return while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 2 + torch.sin(x)), (torch.tensor(0), x))


class Scan(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor) -> Any:
        def combine(carry: torch.Tensor, element: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            following = torch.tanh(carry @ w + element)
            return following, following * 2

        return scan(combine, torch.zeros(2, 3), x)


class Map(torch.nn.Module):
    def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return mapped(lambda element, w: torch.relu(element * w), x, w)


class Nested(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
        def step(i: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return i + 1, torch.cond(x.sum() > 4, lambda x: -x, lambda x: x + x, (x,))

        return while_loop(lambda i, x: i < n, step, (torch.tensor(0), x))


class ProgramControlTest(unittest.TestCase):
    def imported(self, module: torch.nn.Module, inputs: tuple[torch.Tensor, ...], core: bool = False) -> Json:
        program = torch.export.export(module, inputs, strict=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.pt2"
            torch.export.save(program.run_decompositions() if core else program, path)
            return import_program(str(path), [], 1, KNOWN)

    def check(self, module: torch.nn.Module, op: str, *runs: tuple[torch.Tensor, ...]) -> None:
        for core in (False, True):
            case = self.imported(module, runs[0], core)
            self.assertEqual(case["requires"], ["subgraphs"])
            self.assertIn(op, [node["op"] for node in case["graph"]["nodes"]])
            for inputs in runs:
                names = case["graph"]["inputs"]
                feed = {name: one.reshape(-1).tolist() for name, one in zip(names, inputs, strict=True)}
                sources = Sources(case["graph"], feed)
                given = [sources.tensor(name, spec) for name, spec in names.items()]
                with torch.no_grad():
                    wanted = module(*inputs)
                    got = case_module(case["graph"], control=DIRECT)(*given)
                for one, other in zip(torch.utils._pytree.tree_leaves(wanted), got, strict=True):
                    torch.testing.assert_close(other, one)

    def test_both_branches_are_there_whichever_the_example_takes(self) -> None:
        torch.manual_seed(0)
        x = torch.rand(2, 3)
        self.check(Cond(), "cond", (x,), (-x,))

    def test_a_loop_takes_no_step_and_several(self) -> None:
        x = torch.tensor([1.0, 2.0, 3.0])
        self.check(While(), "while_loop", *((x, torch.tensor(steps)) for steps in (3, 0, 1)))

    def test_scan(self) -> None:
        self.check(Scan(), "scan", (torch.rand(4, 2, 3), torch.rand(3, 3)))

    def test_map(self) -> None:
        self.check(Map(), "map", (torch.randn(4, 3), torch.randn(3)))

    def test_a_branch_in_a_loop(self) -> None:
        x = torch.tensor([1.0, 2.0])
        self.check(Nested(), "while_loop", *((x, torch.tensor(steps)) for steps in (1, 4)))

    def test_what_a_branch_calls_and_the_oracle_does_not_know_is_refused(self) -> None:
        class Random(torch.nn.Module):
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.cond(x.sum() > 0, lambda x: x + torch.rand_like(x), lambda x: x + 1, (x,))

        with self.assertRaisesRegex(RefusedError, "rand_like"):
            self.imported(Random(), (torch.ones(2),))


if __name__ == "__main__":
    unittest.main()
