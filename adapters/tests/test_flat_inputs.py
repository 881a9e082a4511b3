"""Strided inputs and windows as storages that are fed dense: the same graph in eager, with the same writes."""

from __future__ import annotations

import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from flat_inputs import flattened, sources
from torch_case import Sources, case_module

GRAPH: dict[str, Any] = {
    "storages": {"m": {"type": "f32[4]"}},
    "inputs": {
        "x": {"type": "f32[2,2]", "strides": [1, 2]},
        "a": {"type": "f32[3]", "storage": "m"},
        "b": {"type": "f32[2]", "storage": "m", "strides": [2], "offset": 1},
        "p": {"type": "f32[2]"},
    },
    "nodes": [
        {"out": "w", "op": "aten.mul_.Scalar", "args": ["%a", 10]},
        {"out": "v", "op": "aten.add_.Tensor", "args": ["%x", "%p"]},
        {"out": "r", "op": "aten.add.Tensor", "args": ["%b", "%p"]},
    ],
    "outputs": ["%r", "%v", "%w"],
}
FEED = {"m": [1, 2, 3, 4], "x": [1, 2, 3, 4], "p": [100, 200]}


def tensors() -> dict[str, torch.Tensor]:
    made = Sources(GRAPH, FEED)
    return {name: made.tensor(name, spec) for name, spec in GRAPH["inputs"].items()}


class FlatInputsTest(unittest.TestCase):
    def test_the_flattened_graph_does_the_same(self) -> None:
        before, flat = tensors(), tensors()
        plain = case_module(GRAPH)(*before.values())
        fed = sources(GRAPH, flat)
        self.assertEqual({name: list(one.shape) for name, one in fed.items()}, {"x_storage": [4], "m": [4], "p": [2]})
        self.assertTrue(all(one.is_contiguous() for one in fed.values()))
        same = case_module(flattened(GRAPH))(*fed.values())
        self.assertEqual([one.tolist() for one in same], [one.tolist() for one in plain])
        self.assertEqual({k: v.tolist() for k, v in flat.items()}, {k: v.tolist() for k, v in before.items()})

    def test_dense_inputs_stay_as_they_are(self) -> None:
        graph = {"inputs": {"p": {"type": "f32[2]"}}, "nodes": [], "outputs": ["%p"]}
        self.assertEqual(flattened(graph), {**graph, "buffers": {}})


if __name__ == "__main__":
    unittest.main()
