"""Strided inputs and windows as storages that are fed dense: the same graph in eager, with the same writes."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from adapters.torch.case_module import Program, Sources, case_module, live, run_protocol
from adapters.torch.flat_inputs import densely_fed, flattened, is_row_major, sources
from adapters.worker.system import Json, Stages

GRAPH: dict[str, Any] = {
    "storages": {"m": {"type": "f32[4]"}},
    "inputs": {
        "x": {"type": "f32[2,2]", "strides": [1, 2]},
        "a": {"type": "f32[3]", "storage": "m"},
        "b": {"type": "f32[2]", "storage": "m", "strides": [2], "offset": 1},
        "p": {"type": "f32[2]"},
        "e": {"type": "f32[2,2]", "strides": [0, 1]},
        "n": {"type": "f32[2,2]", "strides": [4, 2]},
    },
    "nodes": [
        {"out": "w", "op": "aten.mul_.Scalar", "args": ["%a", 10]},
        {"out": "v", "op": "aten.add_.Tensor", "args": ["%x", "%p"]},
        {"out": "r", "op": "aten.add.Tensor", "args": ["%b", "%p"]},
        {"out": "s", "op": "aten.sub_.Tensor", "args": ["%n", "%e"]},
    ],
    "outputs": ["%r", "%v", "%w", "%s"],
}
FEED = {"m": [1, 2, 3, 4], "x": [1, 2, 3, 4], "p": [100, 200], "e": [1, 2, 1, 2], "n": [5, 6, 7, 8]}


def tensors() -> dict[str, torch.Tensor]:
    made = Sources(GRAPH, FEED)
    return {name: made.tensor(name, spec) for name, spec in GRAPH["inputs"].items()}


class FlatInputsTest(unittest.TestCase):
    def test_the_flattened_graph_does_the_same(self) -> None:
        before, flat = tensors(), tensors()
        plain = case_module(GRAPH)(*before.values())
        fed = sources(GRAPH, flat)
        self.assertEqual(
            {name: list(one.shape) for name, one in fed.items()},
            {"x_storage": [2, 2], "m": [4], "p": [2], "e_storage": [2], "n_storage": [7]},
        )
        self.assertTrue(all(one.is_contiguous() for one in fed.values()))
        same = case_module(flattened(GRAPH))(*fed.values())
        self.assertEqual([one.tolist() for one in same], [one.tolist() for one in plain])
        self.assertEqual({k: v.tolist() for k, v in flat.items()}, {k: v.tolist() for k, v in before.items()})

    def test_the_view_that_composes_best(self) -> None:
        ops = {node["out"]: node["op"] for node in flattened(GRAPH)["nodes"][:-4]}
        self.assertEqual(
            {name: op.split(".")[1] for name, op in ops.items()},
            {"x": "permute", "a_part": "slice", "a": "view", "b_part": "slice", "b": "view", "e": "as_strided",
             "n_part": "slice", "n": "view"},
        )  # fmt: skip

    def test_a_program_that_is_fed_densely(self) -> None:
        def build(graph: Json, inputs: tuple[torch.Tensor, ...], _: Stages) -> Program:
            self.assertTrue(all(one.is_contiguous() for one in inputs))
            start = live(graph, case_module(graph), identity=False)
            return Program(start, {"fact": 1}, {"before": start})

        turned = {"out": "t", "op": "aten.t_.default", "args": ["%n"]}  # also what is handed back
        graph = {**GRAPH, "nodes": [*GRAPH["nodes"], turned], "buffers": {"c": {"type": "f32[2]", "data": [1, 2]}}}
        stages = {"case": {"graph": graph, "feed": FEED}, "stages": True}
        plain = run_protocol(stages, Stages(), lambda graph, inputs, _: Program(
            live(graph, case_module(graph), identity=False)))  # fmt: skip
        dense = run_protocol(stages, Stages(), densely_fed(build, is_row_major))
        self.assertEqual(dense["fact"], 1)
        for run in (dense, dense["again"], dense["stages"][0]):
            for member in ("outputs", "inputs", "buffers"):
                self.assertEqual(run[member], plain[member])

    def test_dense_inputs_stay_as_they_are(self) -> None:
        graph = {"inputs": {"p": {"type": "f32[2]"}}, "nodes": [], "outputs": ["%p"]}
        self.assertEqual(flattened(graph), {**graph, "buffers": {}})


if __name__ == "__main__":
    unittest.main()
