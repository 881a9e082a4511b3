"""What an ONNX model becomes as a case, and back through the writer. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx
import onnx.parser
from onnx.reference import ReferenceEvaluator

from adapters.importing import onnx_model
from adapters.onnx.writer import write
from adapters.worker.arrays import decode

HEADER = '<ir_version: 9, opset_import: ["" : 20]>'


def case_of(text: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(onnx.parser.parse_model(f"{HEADER} {text}"), path)
        return onnx_model.read_case(path, None, 1)


class ImportTest(unittest.TestCase):
    def test_a_model_comes_back_with_the_same_meaning(self) -> None:
        text = """g (float[2,3] x) => (float[2,2] y, float[3] z)
            <float[3,2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {0.5, -0.5}, int64[1] axes = {0}> {
              p = Gemm(x, w, b)
              y = Relu(p)
              t = ReduceSum<keepdims: int = 0>(x, axes)
              z = Clip(t)
            }"""
        case = case_of(text)
        feed = {"x": decode(case["feed"]["x"], "f32[2,3]")}
        wanted = ReferenceEvaluator(onnx.parser.parse_model(f"{HEADER} {text}")).run(None, feed)
        got = ReferenceEvaluator(write(case["graph"]).graph.model()).run(None, feed)
        for expected, actual in zip(wanted, got, strict=True):
            np.testing.assert_allclose(actual, expected, rtol=1e-6)

    def test_initializers_that_say_sizes_are_no_constants(self) -> None:
        case = case_of("""g (float[2,3] x) => (float[6] y) <int64[1] s = {-1}> { r = Reshape(x, s) y = Neg(r) }""")
        self.assertEqual(case["graph"]["constants"], {})
        self.assertEqual(case["graph"]["nodes"][0]["args"], ["%x", [6]])

    def test_an_operator_without_counterpart_is_named(self) -> None:
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, r"node 'y' \(Det\) has no counterpart"):
            case_of("g (float[2,2] x) => (float y) { y = Det(x) }")

    def test_sizes_that_are_open_are_named(self) -> None:
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, "sizes of 'x' are not fixed"):
            case_of("g (float[N] x) => (float[N] y) { y = Neg(x) }")

    def test_a_file_that_holds_nothing_is_no_model(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            path.write_bytes(b"x\n")  # to protobuf a message with one unknown field
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "this is no ONNX model"):
                onnx_model.read_case(path, None, 1)

    def test_what_is_no_model_is_one_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.onnx"
            path.write_bytes(b"\xff\xfe nothing")
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "cannot be read"):
                onnx_model.read_case(path, None, 0)


if __name__ == "__main__":
    unittest.main()
