"""Quantized calls as ONNX operators, run by ONNX's own reference. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from typing import Any, ClassVar

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx.checker
import onnx.parser
from onnx.reference import ReferenceEvaluator

from adapters.importing import onnx_model
from adapters.importing.onnx.model import Importer
from adapters.onnx.integer_operators import IntegerOperators
from adapters.onnx.writer import Written, write

Json = dict[str, Any]
PER_TENSOR = "quantize_per_tensor.default"


def node(out: str, op: str, *args: object, **kwargs: object) -> Json:
    name = op if op == "getitem" else f"quantized_decomposed.{op}"
    return {"out": out, "op": name, "args": list(args), "kwargs": kwargs}


def written(inputs: Json, nodes: list[Json], outputs: list[str], constants: Json | None = None) -> Written:
    types = {name: {"type": one} for name, one in inputs.items()}
    graph = {"inputs": types, "constants": constants or {}, "buffers": {}, "nodes": nodes, "outputs": outputs}
    return write(graph)


def run(model: Written, **given: Any) -> list[list[Any]]:
    proto = model.graph.model()
    onnx.checker.check_model(proto, full_check=True)
    with np.errstate(all="ignore"):
        return [np.asarray(one).reshape(-1).tolist() for one in ReferenceEvaluator(proto).run(None, given)]


def kinds(model: Written) -> list[str]:
    return [kind for kind, *_ in model.graph.nodes]


def dequantized(out: str, integers: str, scale: float, zero_point: int = 0, dtype: str = "i8") -> Json:
    low, high = {"i8": (-128, 127), "u8": (0, 255), "i32": (-(2**31), 2**31 - 1)}[dtype]
    return node(out, "dequantize_per_tensor.default", integers, scale, zero_point, low, high, dtype)


def aten(out: str, op: str, *args: object) -> Json:
    return {"out": out, "op": f"aten.{op}", "args": list(args)}


class IntegerOperatorsTest(unittest.TestCase):
    """Products between a dequantize and a quantize as QLinearConv and its like: what the pairs give, exactly."""

    WEIGHT: ClassVar = {"w": {"type": "i8[2,1,2,2]", "data": [1, -2, 3, 4, 5, -6, 7, 8]}}
    IMAGE: ClassVar = np.arange(-8, 8, dtype=np.int8).reshape(1, 1, 4, 4)

    def both(self, nodes: list[Json], outputs: list[str], inputs: Json, constants: Json, **given: Any) -> list[str]:
        """The operators that stand for the pairs, which give the same."""
        pairs, operators = (written(inputs, nodes, outputs, constants) for _ in range(2))
        rewritten = IntegerOperators(operators.graph)
        self.assertEqual((rewritten.fused, rewritten.fusable), (1, 1))
        self.assertEqual(run(operators, **given), run(pairs, **given))
        return kinds(operators)

    def test_a_convolution_with_a_bias(self) -> None:
        nodes = [
            dequantized("xf", "%x", 0.5, 3),
            dequantized("wf", "%w", 0.25),
            dequantized("bf", "%b", 0.125, 0, "i32"),
            aten("y", "conv2d.default", "%xf", "%wf", "%bf", [1, 1], [1, 1]),
            node("q", PER_TENSOR, "%y", 2.0, -4, -128, 127, "i8"),
        ]
        constants = {**self.WEIGHT, "b": {"type": "i32[2]", "data": [40, -7]}}
        found = self.both(nodes, ["%q"], {"x": "i8[1,1,4,4]"}, constants, x=self.IMAGE)
        self.assertEqual(found, ["QLinearConv"])

    def test_scales_by_channel(self) -> None:
        scales = {"s": {"type": "f32[2]", "data": [0.25, 0.5]}, "z": {"type": "i64[2]", "data": [0, 0]}}
        nodes = [
            dequantized("xf", "%x", 0.5, 3),
            node("wf", "dequantize_per_channel.default", "%w", "%s", "%z", 0, -128, 127, "i8"),
            aten("y", "conv2d.default", "%xf", "%wf"),
            node("q", PER_TENSOR, "%y", 2.0, 0, -128, 127, "i8"),
        ]
        found = self.both(nodes, ["%q"], {"x": "i8[1,1,4,4]"}, {**self.WEIGHT, **scales}, x=self.IMAGE)
        self.assertEqual(found, ["QLinearConv"])

    def test_a_linear_layer_without_bias(self) -> None:
        nodes = [
            dequantized("xf", "%x", 0.5, 3),
            dequantized("wf", "%w", 0.25),
            aten("y", "linear.default", "%xf", "%wf"),
            node("q", PER_TENSOR, "%y", 2.0, 4, -128, 127, "i8"),
        ]
        weight = {"w": {"type": "i8[3,2]", "data": [1, -2, 3, 4, 5, -6]}}
        x = np.array([[1, 2], [-3, 100]], np.int8)
        found = self.both(nodes, ["%q"], {"x": "i8[2,2]"}, weight, x=x)
        self.assertEqual(found, ["Transpose", "QLinearMatMul"])

    def test_what_stays_a_float_is_a_sum_of_integers(self) -> None:
        matrix = {"w": {"type": "i8[2,3]", "data": [1, -2, 3, 4, 5, -6]}}
        nodes = [dequantized("xf", "%x", 0.5, 3), dequantized("wf", "%w", 0.25), aten("y", "mm.default", "%xf", "%wf")]
        x = np.array([[1, 2], [-3, 100]], np.int8)
        found = self.both(nodes, ["%y"], {"x": "i8[2,2]"}, matrix, x=x)
        self.assertEqual(found, ["MatMulInteger", "Mul", "Cast", "Mul"])

    def test_what_the_operators_cannot_say_stays_pairs(self) -> None:
        image, bias = {"x": "i8[1,1,4,4]"}, {"b": {"type": "f32[2]", "data": [0.3, 1]}}
        start = [dequantized("xf", "%x", 0.5, 3), dequantized("wf", "%w", 0.25)]
        quantized = node("q", PER_TENSOR, "%y", 2.0, 0, -128, 127, "i8")
        for nodes, constants in (
            ([*start, aten("y", "conv2d.default", "%xf", "%wf", "%b"), quantized], {**self.WEIGHT, **bias}),
            ([*start, aten("c", "conv2d.default", "%xf", "%wf", "%b"), aten("y", "relu.default", "%c"), quantized],
             {**self.WEIGHT, **bias}),
        ):  # fmt: skip
            model = written(image, nodes, ["%q"], constants)
            before = run(model, x=self.IMAGE)
            self.assertEqual(IntegerOperators(model.graph).fused, 0)
            self.assertEqual(run(model, x=self.IMAGE), before)
            self.assertIn("Conv", kinds(model))


X = np.array([-1.0, 0.25, 0.75, 100.0], dtype=np.float32)


class QuantizeTest(unittest.TestCase):
    def test_a_tensor_and_back(self) -> None:
        nodes = [
            node("q", PER_TENSOR, "%x", 0.5, 3, -128, 127, "i8"),
            node("d", "dequantize_per_tensor.default", "%q", 0.5, 3, -128, 127, "i8"),
        ]
        model = written({"x": "f32[4]"}, nodes, ["%q", "%d"])
        self.assertEqual(run(model, x=X), [[1, 3, 5, 127], [-1.0, 0.0, 1.0, 62.0]])
        self.assertEqual(kinds(model), ["QuantizeLinear", "DequantizeLinear"])

    def test_narrow_limits_are_a_clip(self) -> None:
        model = written({"x": "f32[4]"}, [node("q", PER_TENSOR, "%x", 0.5, 0, -1, 7, "i8")], ["%q"])
        self.assertEqual((run(model, x=X), kinds(model)), ([[-1, 0, 2, 7]], ["QuantizeLinear", "Clip"]))

    def test_what_the_operator_does_not_take_is_eagers_steps(self) -> None:
        for dtype, low, high, zero_point in (("i16", -100, 100, 3), ("u8", 0, 255, -4), ("i8", -128, 127, 300)):
            model = written({"x": "f32[4]"}, [node("q", PER_TENSOR, "%x", 0.5, zero_point, low, high, dtype)], ["%q"])
            expected = np.clip(np.rint(X * 2) + zero_point, low, high).tolist()
            self.assertEqual(run(model, x=X), [expected])
            self.assertNotIn("QuantizeLinear", kinds(model))

    def test_a_subnormal_scale_is_eagers_steps(self) -> None:
        model = written({"x": "f32[4]"}, [node("q", PER_TENSOR, "%x", 1e-39, 0, -128, 127, "i8")], ["%q"])
        self.assertNotIn("QuantizeLinear", kinds(model))

    def test_channels(self) -> None:
        scales = {"type": "f32[2]", "data": [0.5, 2.0]}
        offsets = {"type": "i64[2]", "data": [0, 1]}
        nodes = [
            node("q", "quantize_per_channel.default", "%x", "%s", "%z", 1, -128, 127, "i8"),
            node("d", "dequantize_per_channel.default", "%q", "%s", "%z", -1, -128, 127, "i8"),
        ]
        model = written({"x": "f32[2,2]"}, nodes, ["%q", "%d"], {"s": scales, "z": offsets})
        self.assertEqual(run(model, x=X.reshape(2, 2)), [[-2, 1, 2, 51], [-1.0, 0.0, 1.0, 100.0]])
        self.assertEqual(kinds(model), ["QuantizeLinear", "DequantizeLinear"])

    def test_zero_points_that_may_be_anything_are_eagers_steps(self) -> None:
        nodes = [node("q", "quantize_per_channel.default", "%x", "%s", "%z", 0, -128, 127, "i8")]
        model = written({"x": "f32[2,2]", "s": "f32[2]", "z": "i64[2]"}, nodes, ["%q"])
        given = {"s": np.array([0.5, 2.0], np.float32), "z": np.array([500, 0])}
        self.assertEqual(run(model, x=X.reshape(2, 2), **given), [[127, 127, 0, 50]])

    def test_a_scale_that_is_chosen_is_the_operators(self) -> None:
        nodes = [
            node("c", "choose_qparams.tensor", "%x", 0, 255, 2.0**-23, "u8"),
            node("s", "getitem", "%c", 0),
            node("z", "getitem", "%c", 1),
            node("q", "quantize_per_tensor.tensor", "%x", "%s", "%z", 0, 255, "u8"),
            node("d", "dequantize_per_tensor.tensor", "%q", "%s", "%z", 0, 255, "u8"),
        ]
        model = written({"x": "f32[4]"}, nodes, ["%q", "%z"])
        x = np.array([-1.0, 0.0, 1.0, 4.1], dtype=np.float32)
        self.assertEqual(run(model, x=x), [[0, 50, 100, 255], [50]])
        self.assertIn("QuantizeLinear", kinds(model))

    def test_tokens_add_the_zero_point_before_they_round(self) -> None:
        nodes = [node("q", "quantize_per_token.default", "%x", "%s", "%z", -128, 127, "i8")]
        model = written({"x": "f32[1,2]", "s": "f32[1,1]", "z": "f32[1,1]"}, nodes, ["%q"])
        given = {"x": np.array([[0.5, 1.5]], np.float32), "s": np.ones([1, 1], np.float32)}
        self.assertEqual(run(model, **given, z=np.full([1, 1], 0.25, np.float32)), [[1, 2]])

    def test_groups(self) -> None:
        scales = {"type": "f32[1,2]", "data": [1.0, 10.0]}
        offsets = {"type": "i64[1,2]", "data": [0, 1]}
        nodes = [
            node("q", "quantize_per_channel_group.default", "%x", "%s", "%z", -8, 7, "i8", 2),
            node("d", "dequantize_per_channel_group.default", "%q", "%s", "%z", -8, 7, "i8", 2, "f32"),
        ]
        model = written({"x": "f32[1,4]"}, nodes, ["%q", "%d"], {"s": scales, "z": offsets})
        x = np.array([[1.0, 9.0, 20.0, -40.0]], dtype=np.float32)
        self.assertEqual(run(model, x=x), [[1, 7, 3, -3], [1.0, 7.0, 20.0, -40.0]])


class ImportTest(unittest.TestCase):
    TEXT = """g (float[2,2] x) => (float[2,2] y, int8[2,2] r) <float s = {0.5}, int8 z = {3}, float[2] cs = {0.5, 2}> {
        q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z) r = QuantizeLinear<axis = 0>(x, cs, cz) }"""

    def imported(self, zero_points: str) -> Importer:
        text = self.TEXT.replace("cs = {0.5, 2}", f"cs = {{0.5, 2}}, int8[2] cz = {zero_points}")
        model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> {text}')
        return onnx_model.import_model(model, Path())

    def test_known_scales_are_calls_that_are_written_back(self) -> None:
        importer = self.imported("{0, 1}")
        case = importer.case("quantized", {})
        self.assertEqual(case["requires"], ["quantized"])
        ops = [node["op"].removeprefix("quantized_decomposed.") for node in case["graph"]["nodes"]]
        self.assertEqual(ops, [PER_TENSOR, "dequantize_per_tensor.default", "quantize_per_channel.default"])
        self.assertIn("a product with the reciprocal of the scale", importer.notes[0])
        again = write(case["graph"])
        self.assertEqual(kinds(again), ["QuantizeLinear", "DequantizeLinear", "QuantizeLinear"])
        self.assertEqual(run(again, x=X.reshape(2, 2)), [[-1.0, 0.0, 1.0, 62.0], [-2, 0, 1, 51]])

    def test_a_scale_of_0_is_arithmetic(self) -> None:
        text = "g (float[2] x) => (int8[2] y) <float s = {0}, int8 z = {3}> { y = QuantizeLinear(x, s, z) }"
        model = onnx.parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> {text}')
        case = onnx_model.import_model(model, Path()).case("zero", {})
        self.assertTrue(all(node["op"].startswith("aten.") for node in case["graph"]["nodes"]))


if __name__ == "__main__":
    unittest.main()
