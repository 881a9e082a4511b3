"""Programs without state: the same graph in eager, with the same writes and the same buffers from call to call."""

from __future__ import annotations

import importlib.util
import unittest
from collections.abc import Mapping
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from adapters.torch.case_module import Program, case_module, inputs_of, live, run_protocol
from adapters.torch.stateless import instance_of, without_state
from adapters.torch.tensors import decode, parse_type
from adapters.worker.system import Json, Stages

GRAPH: dict[str, Any] = {
    "storages": {"m": {"type": "f32[4]"}},
    "inputs": {
        "a": {"type": "f32[3]", "storage": "m"},
        "b": {"type": "f32[2]", "storage": "m", "strides": [2], "offset": 1},
        "x": {"type": "f32[2,2]", "strides": [1, 2]},
        "s": {"type": "f32[1,2]"},
        "r": {"type": "f32[2]"},
    },
    "buffers": {"c": {"type": "f32[2]", "data": [5, 6]}, "d": {"type": "f32[2]", "data": [1, 1]}},
    "nodes": [
        {"out": "w", "op": "aten.mul_.Scalar", "args": ["%a", 10]},
        {"out": "v", "op": "aten.add_.Tensor", "args": ["%c", "%b"]},
        {"out": "q", "op": "aten.squeeze_.dim", "args": ["%s", 0]},
        {"out": "t", "op": "aten.add.Tensor", "args": ["%x", "%q"]},
        {"out": "u", "op": "aten.add.Tensor", "args": ["%r", "%d"]},
    ],
    "outputs": ["%t", "%v", "%u"],
}
FEEDS = (
    {"m": [1, 2, 3, 4], "x": [1, 2, 3, 4], "s": [5, 6], "r": [7, 8]},
    {"m": [4, 3, 2, 1], "x": [5, 6, 7, 8], "s": [0, 1], "r": [9, 10]},
)


def eagerly(graph: Json, inputs: tuple[torch.Tensor, ...], _: Stages) -> Program:
    return Program(live(graph, case_module(graph), identity=False))


def without(graph: Json, inputs: tuple[torch.Tensor, ...], _: Stages) -> Program:
    case = without_state(graph, inputs)
    module = case_module(case.program)

    def call(fed: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
        # What the module writes is not seen by its caller.
        return list(module(*(tensor.clone() for tensor in fed.values())))

    return Program(lambda: instance_of(case, call))


def decode_values(entry: Json) -> list[float]:
    return decode(entry["data"], *parse_type(entry["type"])).tolist()


class StatelessTest(unittest.TestCase):
    def test_outputs_inputs_and_buffers_of_both_calls_are_those_of_eager(self) -> None:
        request = {"case": {"graph": GRAPH, "feed": FEEDS[0]}, "second_feed": FEEDS[1]}
        plain, made = (run_protocol(request, Stages(), build) for build in (eagerly, without))
        self.assertEqual(plain["inputs"]["s"]["type"], "f32[2]")
        self.assertEqual(decode_values(plain["b"]["buffers"]["c"]), [55, 11])
        for one, other in ((plain, made), (plain["b"], made["b"]), (plain["again"], made["again"])):
            for part in ("outputs", "inputs", "buffers"):
                self.assertEqual(one[part], other[part])

    def test_only_what_is_written_is_returned(self) -> None:
        case = without_state(GRAPH, inputs_of(GRAPH, FEEDS[0]))
        self.assertEqual(case.written, ["m", "s", "c"])
        self.assertEqual(case.program["outputs"], ["%t", "%v", "%u", "%m", "%s", "%c"])
        self.assertEqual(case.program["buffers"], {})

    def test_results_that_do_not_fit_are_named(self) -> None:
        inputs = inputs_of(GRAPH, FEEDS[0])
        run = instance_of(without_state(GRAPH, inputs), lambda _: [])
        with self.assertRaisesRegex(RuntimeError, "0 results of 3 outputs and 3 states"):
            run(inputs)


if __name__ == "__main__":
    unittest.main()
