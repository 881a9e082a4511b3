"""Data, layouts and whole cases with PyTorch itself. Needs a Python that has torch, and is skipped elsewhere."""

from __future__ import annotations

import ctypes
import importlib.util
import unittest
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from adapters.torch import eager
from adapters.torch.tensors import DTYPES, decode, encode, parse_type, strided
from adapters.worker.case_text import philox_word
from adapters.worker.system import Stages, UnsupportedError


def run(graph: dict[str, Any], feed: dict[str, Any], second: dict[str, Any] | None = None) -> dict[str, Any]:
    request = {"case": {"graph": graph, "feed": feed}, "second_feed": second}
    return eager.make_system([]).run(request, Stages())


def values(entry: dict[str, Any]) -> list[Any]:
    return decode(entry["data"], *parse_type(entry["type"])).reshape(-1).tolist()


class DataTest(unittest.TestCase):
    def test_every_dtype_survives_encoding(self) -> None:
        for name, dtype in DTYPES.items():
            for sizes in ([], [2], [0, 3]):
                tensor = (torch.arange(torch.Size(sizes).numel()) % 2).reshape(sizes).to(dtype)
                entry = encode(tensor)
                back = decode(entry["data"], *parse_type(entry["type"]))
                self.assertTrue(torch.equal(back, tensor), (name, sizes))
                self.assertEqual((back.dtype, back.shape), (tensor.dtype, tensor.shape))

    def test_elements_are_in_logical_order_whatever_the_strides(self) -> None:
        self.assertEqual(values(encode(torch.arange(6).reshape(2, 3).t())), [0, 3, 1, 4, 2, 5])

    def test_special_numbers(self) -> None:
        text = str(decode(["nan", "inf", "-inf", -0.0], torch.float16, [4]).tolist())
        self.assertEqual(text, "[nan, inf, -inf, -0.0]")
        self.assertEqual(decode([2**63 - 1, -(2**63)], torch.int64, [2]).tolist(), [2**63 - 1, -(2**63)])

    def test_philox_known_answer(self) -> None:
        # Random123's known-answer file: counter 0, key 0.
        self.assertEqual([philox_word(0, i) for i in range(4)], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8])

    def test_strides(self) -> None:
        dense = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        for strides in ([2, 1], [1, 2], [5, 2], [1, 3]):
            made = strided(dense, strides)
            self.assertEqual((list(made.stride()), made.tolist()), (strides, dense.tolist()))
        self.assertEqual(strided(torch.tensor([7.0, 7.0]), [0]).untyped_storage().nbytes(), 4)


class EagerTest(unittest.TestCase):
    def test_methods_share_the_buffers_of_their_instance(self) -> None:
        sums = {
            "inputs": {"x": {"type": "f32[1]"}},
            "buffers": {"s": {"type": "f32[1]", "data": [1]}},
            "nodes": [{"out": "y", "op": "aten.add_.Tensor", "args": ["%s", "%x"]}],
            "outputs": ["%y"],
        }
        product = {
            "inputs": {"f": {"type": "f32[1]"}},
            "nodes": [{"out": "y", "op": "aten.mul_.Tensor", "args": ["%s", "%f"]}],
            "outputs": ["%y"],
        }
        runs = [
            {"feed": {"x": [2]}},
            {"feed": {"f": [10]}, "method": "scale"},
            {"feed": {"f": [5]}, "method": "scale", "instance": 1},
            {"feed": {"x": [4]}},
        ]
        requires = ["runs", "instances", "methods"]
        case = {"requires": requires, "graph": sums, "methods": {"scale": product}, "runs": runs}
        reply = eager.make_system([]).run({"case": case}, Stages())
        self.assertEqual(values(reply["outputs"][0]), [3])
        self.assertEqual([values(one["outputs"][0]) for one in reply["later"]], [[30], [5], [34]])
        self.assertEqual([values(one["buffers"]["s"]) for one in reply["later"]], [[30], [5], [34]])
        self.assertEqual(reply["later_again"], reply["later"])

    def test_runs_a_b_and_a_again_and_keeps_state_between_the_first_two(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[2]"}},
            "constants": {"w": {"type": "f32[2]", "data": [10, 20]}},
            "buffers": {"c": {"type": "f32[2]", "data": [5, 6]}},
            "nodes": [
                {"out": "a", "op": "aten.add_.Tensor", "args": ["%c", "%x"], "kwargs": {"alpha": 2}},
                {"out": "b", "op": "aten.mul.Tensor", "args": ["%a", "%w"]},
            ],
            "outputs": ["%b", "%c"],
        }
        reply = run(graph, {"x": [1, 1]}, {"x": [0, 1]})
        self.assertEqual(values(reply["outputs"][0]), [70, 160])
        self.assertEqual(values(reply["b"]["buffers"]["c"]), [7, 10])
        self.assertEqual(values(reply["again"]["buffers"]["c"]), [7, 8])
        # x, c, then b and c as outputs; the second output is the buffer itself, so it changes with it.
        self.assertEqual(reply["identity"], [0, 1, 2, 1])
        self.assertEqual(values(reply["kept"][1]), [7, 10])

    def test_windows_share_memory(self) -> None:
        graph = {
            "storages": {"s": {"type": "f32[6]"}},
            "inputs": {
                "x": {"type": "f32[2]", "storage": "s", "offset": 1},
                "y": {"type": "f32[2]", "storage": "s", "strides": [2], "offset": 2},
            },
            "nodes": [{"out": "a", "op": "aten.zero_.default", "args": ["%x"]}],
            "outputs": ["%y"],
        }
        reply = run(graph, {"s": [0, 1, 2, 3, 4, 5]})
        self.assertEqual(values(reply["outputs"][0]), [0, 4])
        self.assertEqual(values(reply["inputs"]["x"]), [0, 0])
        self.assertEqual(reply["identity"], [0, 0, 0])

    @unittest.skipUnless(hasattr(ctypes.CDLL(None), "mallopt"), "glibc's malloc fills memory")
    def test_memory_that_nobody_wrote_differs_between_the_instances(self) -> None:
        graph = {
            "inputs": {},
            "nodes": [{"out": "a", "op": "aten.empty.memory_format", "args": [[64]], "kwargs": {"dtype": "u8"}}],
            "outputs": ["%a"],
        }
        reply = run(graph, {})
        self.assertEqual(set(values(reply["outputs"][0])), {0x5A})
        self.assertEqual(set(values(reply["again"]["outputs"][0])), {0xA5})

    def test_what_is_not_there_is_unsupported(self) -> None:
        for graph in (
            {"inputs": {}, "nodes": [{"out": "a", "op": "aten.nosuch.default"}], "outputs": ["%a"]},
            {"inputs": {}, "nodes": [{"out": "a", "op": "nonsense"}], "outputs": ["%a"]},
        ):
            with self.assertRaises(UnsupportedError):
                run(graph, {})
        with self.assertRaises(UnsupportedError):
            eager.make_system([]).run({"case": {"requires": ["strange"]}}, Stages())


if __name__ == "__main__":
    unittest.main()
