"""Branches and loops with PyTorch itself: what a person writes gives what the ops give. Skipped without torch."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from adapters.torch.case_module import case_module
from adapters.torch.control_flow import DIRECT

VECTOR = {"type": "f32[2]"}
COUNT = {"type": "i64[]"}
LOOP: dict[str, Any] = {
    "inputs": {"i": COUNT, "x": VECTOR, "w": VECTOR, "n": COUNT},
    "nodes": [
        {"out": "y", "op": "while_loop", "args": [{"graph": "less"}, {"graph": "step"}, ["%i", "%x", "%w"], ["%n"]]},
        {"out": "a", "op": "getitem", "args": ["%y", 1]},
        {"out": "b", "op": "getitem", "args": ["%y", 2]},
    ],
    "outputs": ["%a", "%b"],
    "subgraphs": {
        "less": {
            "inputs": {"i": COUNT, "u": VECTOR, "v": VECTOR, "m": COUNT},
            "nodes": [{"out": "c", "op": "aten.lt.Tensor", "args": ["%i", "%m"]}],
            "outputs": ["%c"],
        },
        "step": {
            "inputs": {"i": COUNT, "u": VECTOR, "v": VECTOR, "m": COUNT},
            "nodes": [
                {"out": "k", "op": "aten.add.Scalar", "args": ["%i", 1]},
                {"out": "s", "op": "aten.add.Tensor", "args": ["%u", "%v"]},
            ],
            "outputs": ["%k", "%v", "%s"],
        },
    },
}
SCAN: dict[str, Any] = {
    "inputs": {"h": VECTOR, "x": {"type": "f32[3,2]"}, "w": VECTOR},
    "nodes": [
        {"out": "y", "op": "scan", "args": [{"graph": "step"}, ["%h"], ["%x"], ["%w"]]},
        {"out": "l", "op": "getitem", "args": ["%y", 0]},
        {"out": "s", "op": "getitem", "args": ["%y", 1]},
    ],
    "outputs": ["%l", "%s"],
    "subgraphs": {
        "step": {
            "inputs": {"c": VECTOR, "e": VECTOR, "k": VECTOR},
            "nodes": [{"out": "n", "op": "aten.add.Tensor", "args": ["%c", "%e"]}],
            "outputs": ["%n", "%k"],
        }
    },
}


def run(graph: dict[str, Any], inputs: tuple[torch.Tensor, ...], exported: bool) -> list[list[Any]]:
    with torch.no_grad():
        if not exported:
            return [output.tolist() for output in case_module(graph, control=DIRECT)(*inputs)]
        module = torch.export.export(case_module(graph), inputs, strict=False).module()
        return [output.tolist() for output in module(*inputs)]


class ControlFlowTest(unittest.TestCase):
    def test_a_loop_carries_all_at_once(self) -> None:
        inputs = (torch.tensor(0), torch.tensor([1.0, 2.0]), torch.tensor([0.5, 1.0]), torch.tensor(3))
        for exported in (False, True):
            self.assertEqual(run(LOOP, inputs, exported), [[2.0, 4.0], [3.5, 7.0]])

    def test_a_closure_that_is_handed_on_is_cloned_for_who_traces(self) -> None:
        inputs = (torch.zeros(2), torch.arange(6.0).reshape(3, 2), torch.ones(2))
        for exported in (False, True):
            self.assertEqual(run(SCAN, inputs, exported), [[6.0, 9.0], [[1.0, 1.0]] * 3])


if __name__ == "__main__":
    unittest.main()
