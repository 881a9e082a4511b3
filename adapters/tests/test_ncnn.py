"""What is written for ncnn: the text of its .param, and, where ncnn is installed, what comes out of it."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

for _package in ("numpy", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np

from adapters.ncnn import contractions, movement, pointwise  # noqa: F401 - these modules fill the table
from adapters.ncnn.net import Files, Net
from adapters.ncnn.ops import OPS
from adapters.ncnn.writer import write_net
from adapters.onnx.graph import Graph
from adapters.onnx.writer import OPS as WRITTEN
from adapters.onnx.writer import write
from adapters.worker.arrays import decode
from adapters.worker.system import Stages, UnsupportedError

Json = dict[str, Any]
Call = tuple[Any, ...]  # an op and its arguments; its result is named by its place, "v0" …


def case_graph(inputs: dict[str, str], calls: list[Call], outputs: list[str], **constants: Json) -> Json:
    nodes = [{"out": f"v{i}", "op": f"aten.{op}", "args": list(rest)} for i, (op, *rest) in enumerate(calls)]
    given = {name: {"type": text} for name, text in inputs.items()}
    return {"inputs": given, "constants": constants, "buffers": {}, "nodes": nodes, "outputs": outputs}


def files(inputs: dict[str, str], calls: list[Call], outputs: list[str], **constants: Json) -> Files:
    return write_net(write(case_graph(inputs, calls, outputs, **constants)).graph)


def layers(written: Files) -> list[str]:
    return [line.split()[0] for line in written.param.splitlines()[2:]]


class TextTest(unittest.TestCase):
    def test_a_network_is_its_layers_in_order(self) -> None:
        written = files({"x": "f32[2,3]"}, [("exp.default", "%x"), ("sum.dim_IntList", "%v0", [1])], ["%v1"])
        expected = """7767517
3 3
Input l0 0 1 b1 1=2 0=3
UnaryOp l1 1 1 b1 b2 0=7
Reduction l2 1 1 b2 b3 0=0 1=0 -23303=1,1 4=0 5=1
"""
        self.assertEqual(written.param, expected)
        self.assertEqual((written.bin, written.inputs, written.outputs), (b"", ["b1"], ["b3"]))

    def test_what_is_read_twice_is_split(self) -> None:
        written = files({"x": "f32[2]"}, [("exp.default", "%x"), ("add.Tensor", "%v0", "%x")], ["%v0", "%v1", "%x"])
        self.assertEqual(layers(written), ["Input", "Split", "UnaryOp", "Split", "BinaryOp"])
        read = [name for line in written.param.splitlines()[2:] for name in bottoms(line)] + written.outputs
        self.assertEqual(len(read), len(set(read)))

    def test_constants_are_in_the_bin(self) -> None:
        number = {"type": "f32[2]", "data": [1.5, -2]}
        written = files({"x": "f32[2]"}, [("mul.Tensor", "%x", "%c")], ["%v0"], c=number)
        self.assertEqual(layers(written), ["Input", "MemoryData", "BinaryOp"])
        self.assertEqual(np.frombuffer(written.bin, dtype=np.float32).tolist(), [1.5, -2])

    def test_a_number_that_the_text_cannot_carry_is_a_blob(self) -> None:
        self.assertEqual(layers(files({"x": "f32[2]"}, [("mul.Scalar", "%x", 0.1)], ["%v0"])), ["Input", "BinaryOp"])
        infinite = files({"x": "f32[2]"}, [("mul.Scalar", "%x", "inf")], ["%v0"])
        self.assertEqual(layers(infinite), ["Input", "MemoryData", "BinaryOp"])

    def test_what_no_output_needs_is_left_out(self) -> None:
        written = files({"x": "f32[2]"}, [("exp.default", "%x"), ("gt.Scalar", "%x", 0)], ["%v0"])
        self.assertEqual(layers(written), ["Input", "UnaryOp"])

    def test_what_ncnn_has_not_is_unsupported(self) -> None:
        refused = [
            ({"x": "f32[1,1,1,1,2]"}, [("exp.default", "%x")], "at most four dims"),
            ({"x": "f32[0]"}, [("exp.default", "%x")], "without elements"),
            ({"x": "f64[2]"}, [("exp.default", "%x")], "not in f64"),
            ({"x": "f32[2]"}, [("gt.Scalar", "%x", 0)], "Greater"),
            ({"x": "f32[200]"}, [("slice.Tensor", "%x", 0, 0, 200, 2)], "worth a crop"),
        ]
        for inputs, calls, words in refused:
            with self.subTest(words), self.assertRaisesRegex(UnsupportedError, words):
                files(inputs, calls, ["%v0"])

    def test_only_what_the_writer_writes_is_taken(self) -> None:
        self.assertLessEqual(set(OPS), set(WRITTEN))

    def test_split_puts_a_copy_where_an_output_is_given_twice(self) -> None:
        net = Net()
        x = net.input((2,))
        self.assertEqual(net.finish([x, x]).outputs, ["b1_0", "b1_1"])


def bottoms(line: str) -> list[str]:
    _, _, count, _, *names = line.split()
    return names[: int(count)]


def numbered(sizes: str) -> list[float]:
    return [0.5 + 0.25 * i for i in range(int(np.prod([int(n) for n in sizes.split(",") if n])))]


@unittest.skipIf(importlib.util.find_spec("ncnn") is None, "this Python has no ncnn")
class RunTest(unittest.TestCase):
    def check(self, sizes: str, call: Call, expected: Any, **constants: Json) -> None:
        """A call of x = 0.5, 0.75, … of these sizes against numpy's function of it."""
        from adapters.ncnn.pipeline import make_ncnn

        graph = case_graph({"x": f"f32[{sizes}]"}, [call], ["%v0"], **constants)
        request = {"case": {"graph": graph, "feed": {"x": numbered(sizes)}}}
        reply = make_ncnn("ncnn", [], vulkan=False).run(request, Stages())
        x = np.array(numbered(sizes), dtype=np.float32).reshape([int(n) for n in sizes.split(",") if n])
        wanted = np.asarray(expected(x))
        for entry in (reply["outputs"][0], reply["again"]["outputs"][0]):
            got = decode(entry["data"], entry["type"])
            self.assertEqual(got.shape, wanted.shape, call)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=str(call))

    def test_layers_that_move_elements(self) -> None:
        self.check("2,3,4", ("permute.default", "%x", [2, 0, 1]), lambda x: x.transpose(2, 0, 1))
        self.check("2,3,2,2", ("permute.default", "%x", [3, 1, 0, 2]), lambda x: x.transpose(3, 1, 0, 2))
        self.check("2,3", ("select.int", "%x", 1, -1), lambda x: x[:, -1])
        self.check("2,5", ("slice.Tensor", "%x", 1, 0, 5, 2), lambda x: x[:, ::2])
        self.check("2,3", ("flip.default", "%x", [0, 1]), lambda x: x[::-1, ::-1])
        self.check("2,3", ("roll.default", "%x", [1], [1]), lambda x: np.roll(x, 1, 1))
        self.check("2,1", ("expand.default", "%x", [3, 2, 4]), lambda x: np.broadcast_to(x, (3, 2, 4)))
        self.check("2,3", ("constant_pad_nd.default", "%x", [1, 0, 0, 2], 9), padded)
        self.check("", ("unsqueeze.default", "%x", 0), lambda x: x.reshape(1))

    def test_broadcasts_are_aligned_at_the_innermost_dim(self) -> None:
        row = {"type": "f32[3]", "data": [1, 2, 3]}
        self.check("3,3", ("add.Tensor", "%x", "%c"), lambda x: x + np.array([1, 2, 3]), c=row)
        self.check("2,3,3", ("sub.Tensor", "%c", "%x"), lambda x: np.array([1, 2, 3]) - x, c=row)

    def test_reductions(self) -> None:
        self.check("2,3,4", ("mean.dim", "%x", [0, 2], True), lambda x: x.mean((0, 2), keepdims=True))
        self.check("2,3", ("sum.default", "%x"), lambda x: x.sum())
        self.check("", ("amax.default", "%x", [0]), lambda x: x)
        self.check("2,3", ("log_softmax.int", "%x", 0), lambda x: x - np.log(np.exp(x).sum(0)))

    def test_products(self) -> None:
        weight = {"type": "f32[3,2]", "data": [1, 2, 3, 4, 5, 6]}
        w = np.array([[1, 2], [3, 4], [5, 6]])
        self.check("2,3", ("matmul.default", "%x", "%c"), lambda x: x @ w, c=weight)
        self.check("3", ("matmul.default", "%x", "%c"), lambda x: x @ w, c=weight)
        self.check("4,2,3", ("matmul.default", "%x", "%c"), lambda x: x @ w, c=weight)

    def test_convolutions_go_sample_by_sample(self) -> None:
        kernel = {"type": "f32[2,1,2]", "data": [1, 2, 3, 4]}

        def convolved(x: np.ndarray) -> np.ndarray:
            pairs = np.stack([x[:, 0, :-1], x[:, 0, 1:]], 1)
            return np.einsum("nkl,ok->nol", pairs, np.array([[1, 2], [3, 4]]))

        self.check("2,1,4", ("conv1d.default", "%x", "%c"), convolved, c=kernel)
        self.check("2,1,4", ("avg_pool1d.default", "%x", [2], [2]), lambda x: x.reshape(2, 1, 2, 2).mean(3))

    def test_state_is_carried_and_results_stay(self) -> None:
        from adapters.ncnn.pipeline import make_ncnn

        graph = case_graph({"x": "f32[2]"}, [("add_.Tensor", "%s", "%x")], ["%v0"])
        graph["buffers"] = {"s": {"type": "f32[2]", "data": [1, 2]}}
        request = {"case": {"graph": graph, "feed": {"x": [1, 1]}}, "second_feed": {"x": [5, 5]}}
        reply = make_ncnn("ncnn", [], vulkan=False).run(request, Stages())
        read = [reply["outputs"][0], reply["kept"][0], reply["b"]["buffers"]["s"], reply["again"]["buffers"]["s"]]
        self.assertEqual([decode(e["data"], e["type"]).tolist() for e in read], [[2, 3], [2, 3], [7, 8], [2, 3]])

    def test_what_ncnn_refuses_is_one_error(self) -> None:
        from adapters.ncnn.pipeline import NcnnError, load

        with self.assertRaisesRegex(NcnnError, r"the \.param does not load \(-1\)"):
            load(Files("7767517\n1 1\nNoSuchLayer l0 0 1 b1\n", b"", [], []), vulkan=False, packing=True)


def padded(x: np.ndarray) -> np.ndarray:
    return np.pad(x, ((0, 2), (1, 0)), constant_values=9)


class GraphTest(unittest.TestCase):
    def test_indices_must_be_known(self) -> None:
        graph = Graph()
        x, places = graph.input("x", "f32", (3,)), graph.input("i", "f32", (2,))
        graph.output(graph.gather(x, places, 0))
        with self.assertRaisesRegex(UnsupportedError, "only at run time"):
            write_net(graph)


if __name__ == "__main__":
    unittest.main()
