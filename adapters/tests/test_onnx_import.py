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


def model_of(text: str, opset: int = 20) -> onnx.ModelProto:
    return onnx.parser.parse_model(f"{HEADER.replace('20', str(opset))} {text}")


def case_of(text: str, *inputs: str, opset: int = 20) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(model_of(text, opset), path)
        return onnx_model.read_case(path, list(inputs), 1)


def calls(text: str, opset: int) -> list[tuple[object, ...]]:
    """Each node's op, without its "aten.", and arguments, the values among them as names."""
    nodes = case_of(text, opset=opset)["graph"]["nodes"]
    return [(node["op"].removeprefix("aten."), *node["args"], *node.get("kwargs", {}).values()) for node in nodes]


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
        why = r"node 'y' \(Unique, version 11\) has no counterpart"
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, why):
            case_of("g (float[2] x) => (float[n] y) { y = Unique(x) }")

    def test_sizes_that_are_open_stay_open(self) -> None:
        case = case_of("g (float[N,3] x, float[N] z) => (float[N,3] y) { y = Neg(x) }")
        self.assertEqual([spec["type"] for spec in case["graph"]["inputs"].values()], ["f32[N,3]", "f32[N]"])
        self.assertEqual(case["symbols"], {"N": [1, 8]})
        notes = ["symbol N (1 and up) stays open, from 1 to 8"]
        self.assertEqual(case["origin"], {"source": "model.onnx", "notes": notes})

    def test_sizes_that_are_open_are_given(self) -> None:
        text = "g (float[N,3] x, float[N] z) => (float[N,3] y) { y = Neg(x) }"
        for inputs in (["f32[5,3]"], ["z=f32[5]"]):
            case = case_of(text, *inputs)
            self.assertEqual([spec["type"] for spec in case["graph"]["inputs"].values()], ["f32[5,3]", "f32[5]"])
            self.assertNotIn("origin", case)

    def test_a_type_that_the_model_contradicts_is_refused(self) -> None:
        text = "g (float[N,3] x) => (float[N,3] y) { y = Neg(x) }"
        for given, why in (
            ("f32[5,4]", "a dim of 'x' is 3, and not 4"),
            ("f64[5,3]", "'x' is f32 of 2 dims"),
            ("q=f32[5,3]", "there is no input 'q' among x"),
            ("f32[five]", "no type such as"),
            ("missing.json", "neither a type"),
        ):
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, why):
                case_of(text, given)

    def test_a_file_that_holds_nothing_is_no_model(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            path.write_bytes(b"x\n")  # to protobuf a message with one unknown field
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "this is no ONNX model"):
                onnx_model.read_case(path, [], 1)

    def test_what_is_no_model_is_one_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.onnx"
            path.write_bytes(b"\xff\xfe nothing")
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "cannot be read"):
                onnx_model.read_case(path, [], 0)

    def test_elements_of_open_sizes_need_the_sizes(self) -> None:
        text = "g (float[N] x) => (float[N] y) { y = Neg(x) }"
        with tempfile.TemporaryDirectory() as folder:
            feed = Path(folder) / "feed.json"
            feed.write_text('{"x": [1, 2, 3]}')
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "need its sizes"):
                case_of(text, str(feed))
            self.assertEqual(case_of(text, str(feed), "x=f32[3]")["feed"], {"x": [1, 2, 3]})

    def test_an_input_that_a_case_has_as_a_number_is_fixed_at_what_it_is_fed(self) -> None:
        text = "g (float[2,3] x, int64[1] s) => (float[6] y) { t = Neg(s) r = Abs(t) y = Reshape(x, r) }"
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, "give the elements of s with --input"):
            case_of(text)
        with tempfile.TemporaryDirectory() as folder:
            feed = Path(folder) / "feed.json"
            feed.write_text('{"s": [6]}')
            case = case_of(text, str(feed))
        self.assertEqual(list(case["graph"]["inputs"]), ["x"])
        self.assertEqual([node["op"] for node in case["graph"]["nodes"]], ["aten.reshape.default"])
        self.assertEqual(case["origin"]["notes"], ["input 's' is fixed at what it is fed"])


class MeaningTest(unittest.TestCase):
    """What older operator sets mean, where a newer one or ATen means something else."""

    def test_clip_has_its_bounds_as_attributes_before_11(self) -> None:
        text = "g (float[2] x) => (float[2] y) { y = Clip<min: float = -1.0, max: float = 2.0>(x) }"
        self.assertEqual(calls(text, 6), [("clamp.default", "%x", -1.0, 2.0)])
        self.assertEqual(calls("g (float[2] x) => (float[2] y) { y = Clip<max: float = 2.0>(x) }", 10),
                         [("clamp.default", "%x", None, 2.0)])  # fmt: skip

    def test_softmax_is_over_all_dims_from_the_axis_on_before_13(self) -> None:
        for kind, op in (("Softmax", "softmax.int"), ("LogSoftmax", "log_softmax.int")):
            text = f"g (float[2,3,4] x) => (float[2,3,4] y) {{ y = {kind}(x) }}"
            old = [call[:1] + call[2:] for call in calls(text, 12)]
            self.assertEqual(old, [("reshape.default", [2, 12]), (op, 1), ("reshape.default", [2, 3, 4])])
            self.assertEqual(calls(text, 13), [(op, "%x", 2)])

    def test_selu_keeps_its_attributes(self) -> None:
        text = "g (float[2] x) => (float[2] y) { y = Selu<alpha: float = 2.0, gamma: float = 3.0>(x) }"
        self.assertEqual(calls(text, 20), [("elu.default", "%x", 2.0, 3.0)])

    def test_pow_has_the_dtype_of_the_base(self) -> None:
        text = "g (int32[2] x, float[2] e) => (int32[2] y) { y = Pow(x, e) }"
        self.assertEqual([(call[0], call[-1]) for call in calls(text, 15)], [
            ("_to_copy.default", "f32"), ("pow.Tensor_Tensor", "%e"), ("_to_copy.default", "i32"),
        ])  # fmt: skip

    def test_indices_that_count_from_the_end_are_wrapped(self) -> None:
        text = "g (float[2,3] x) => (float[2,1] y) <int64[2,1] i = {-1, 0}> { y = GatherElements<axis: int = 1>(x, i) }"
        (index,) = case_of(text)["graph"]["constants"].values()
        self.assertEqual(decode(index["data"], index["type"]).tolist(), [[2], [0]])
        computed = "g (float[2,3] x, int64[2,1] i) => (float[2,1] y) { y = GatherElements<axis: int = 1>(x, i) }"
        self.assertEqual([call[0] for call in calls(computed, 13)],
                         ["lt.Scalar", "add.Scalar", "where.self", "gather.default"])  # fmt: skip

    def test_operands_broadcast_from_an_axis_before_7(self) -> None:
        text = """g (float[2,3,4] x, float[3] z) => (float[2,3,4] y)
            { y = Add<broadcast: int = 1, axis: int = 1>(x, z) }"""
        self.assertEqual(calls(text, 6), [("reshape.default", "%z", [3, 1]), ("add.Tensor", "%x", "%y_0")])
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, "before operator set 7"):
            calls("g (float[2,3] x, float[3] z) => (float[2,3] y) { y = Add(x, z) }", 6)
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, "attribute 'axis', .* would be lost"):
            calls(
                """g (float[3,3] x, float[3] z) => (float[3,3] y)
                { y = Add<broadcast: int = 1, axis: int = 0>(x, z) }""",
                7,
            )

    def test_the_greatest_of_no_elements_is_the_lowest_number(self) -> None:
        text = "g (float[2,0] x) => (float[2,1] y) <int64[1] a = {1}> { y = ReduceMax(x, a) }"
        graph = case_of(text)["graph"]
        (constant,) = graph["constants"].values()
        self.assertEqual(decode(constant["data"], constant["type"]).tolist(), [[-np.inf], [-np.inf]])

    def test_a_bound_that_is_computed_stays_a_value(self) -> None:
        text = "g (float[2] x, float low) => (float[2] y) { y = Clip(x, low) }"
        self.assertEqual(calls(text, 13), [("clamp.Tensor", "%x", "%low", None)])


class RefusalTest(unittest.TestCase):
    """Each is one line, and nothing is executed."""

    def refused(self, model: onnx.ModelProto | bytes, why: str, beside: dict[str, bytes] | None = None) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "inner" / "model.onnx"
            path.parent.mkdir()
            path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
            for name, data in (beside or {}).items():
                (path.parent / name).write_bytes(data)
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, why) as caught:
                onnx_model.read_case(path, [], 1)
            self.assertNotIn("\n", str(caught.exception))

    def test_every_truncation_is_refused(self) -> None:
        whole = model_of("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }").SerializeToString()
        for length in range(len(whole)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "model.onnx"
                path.write_bytes(whole[:length])
                with self.assertRaises(onnx_model.NoCounterpartError, msg=f"{length} of {len(whole)} bytes"):
                    onnx_model.read_case(path, [], 1)

    def external(self, **facts: str) -> onnx.ModelProto:
        model = model_of("g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
        (tensor,) = model.graph.initializer
        tensor.ClearField("float_data")
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in facts.items():
            tensor.external_data.add(key=key, value=value)
        return model

    def test_external_data_is_read_beside_the_model_and_nowhere_else(self) -> None:
        data = np.array([0, 1, 2], dtype=np.float32).tobytes()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            path.write_bytes(self.external(location="w.bin", offset="4", length="8").SerializeToString())
            (path.parent / "w.bin").write_bytes(data)
            constant = onnx_model.read_case(path, [], 1)["graph"]["constants"]["w"]
            self.assertEqual(decode(constant["data"], constant["type"]).tolist(), [1.0, 2.0])
        self.refused(self.external(location="w.bin"), "'w.bin', which is not there")
        self.refused(self.external(location="../w.bin"), "outside the model's folder")
        self.refused(self.external(location="/etc/hostname"), "outside the model's folder")
        self.refused(self.external(), "outside the model's folder")
        self.refused(self.external(location="w.bin", offset="8"), "has not the 8 bytes", {"w.bin": data})
        self.refused(self.external(location="w.bin", offset="-4"), "has not the 8 bytes", {"w.bin": data})
        self.refused(self.external(location="w.bin", length="4"), "has not the 8 bytes", {"w.bin": data})

    def test_a_link_does_not_lead_out_of_the_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "w.bin").write_bytes(bytes(8))
            path = Path(folder) / "inner" / "model.onnx"
            path.parent.mkdir()
            (path.parent / "w.bin").symlink_to("../w.bin")
            path.write_bytes(self.external(location="w.bin").SerializeToString())
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "outside the model's folder"):
                onnx_model.read_case(path, [], 1)

    def test_a_cycle_is_named(self) -> None:
        self.refused(model_of("g (float[2] x) => (float[2] y) { y = Add(x, z) z = Neg(y) }"), "'y' .Add. .* a cycle")

    def test_nodes_in_any_other_order_are_sorted(self) -> None:
        text = "g (float[2] x) => (float[2] y) { y = Abs(z) z = Neg(x) }"
        self.assertEqual([call[0] for call in calls(text, 20)], ["neg.default", "abs.default"])

    def test_a_value_that_nothing_makes_is_named(self) -> None:
        self.refused(model_of("g (float[2] x) => (float[2] y) { y = Add(x, q) }"), "'q' is read, and nothing makes it")

    def test_a_file_of_two_gibibytes_is_refused_unread(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.onnx"
            with path.open("wb") as file:
                file.truncate(2**31)  # of holes: nothing is written
            with self.assertRaisesRegex(onnx_model.NoCounterpartError, "less than 2 GiB"):
                onnx_model.read_case(path, [], 1)

    def test_weights_of_two_gibibytes_are_refused_unread(self) -> None:
        model = self.external(location="w.bin")
        del model.graph.initializer[0].dims[:]
        model.graph.initializer[0].dims.extend([2**15, 2**14 + 1])
        self.refused(model, "initializer 'w': with it the weights have more than 2 GiB")

    def test_a_loop_without_end_is_not_unrolled(self) -> None:
        text = """g (float[3] x) => (float[3] y) <int64 n = {1000000000000}, bool c = {1}> {
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[3] v) => (bool co, float[3] w)
                { co = Identity(ci) w = Identity(v) }> }"""
        self.refused(model_of(text), "a loop of more than 10000 turns")
        self.assertEqual(len(calls(text.replace("1000000000000", "3"), 20)), 3)

    def test_an_input_of_any_size_is_not_drawn(self) -> None:
        model = model_of("g (float[1000000,1000000] x) => (int64 y) { y = Size(x) }")
        self.refused(model, "input 'x' has the sizes")

    def test_names_that_are_no_text_are_refused(self) -> None:
        whole = model_of("g (float[3] x) => (float[3] name) { name = Neg(x) }").SerializeToString()
        self.refused(whole.replace(b"name", b"na\xffe"), "a name in it is no text")

    def test_constants_of_any_size_are_not_made(self) -> None:
        for text in (
            "<int64[1] s = {1000000000000}> { t = ConstantOfShape(s) u = Exp(t) y = Add(x, u) }",
            "<int64[2] s = {1000000, 1000000}, float[1] one = {1}> { t = Expand(one, s) y = Add(x, t) }",
            "<int64[1] s = {1000000000000}, float[1] one = {1}> { t = Tile(one, s) y = Add(x, t) }",
            "<int64 a = {0}, int64 z = {1000000000000}, int64 d = {1}> { t = Range(a, z, d) y = Add(x, t) }",
            "<int64[2] s = {1000000, 1000000}> { t = ConstantOfShape(s) u = EyeLike(t) y = Add(x, u) }",
        ):
            self.refused(model_of(f"g (float[3] x) => (float[3] y) {text}"), "node")

    def test_what_is_no_tensor_of_numbers_is_named(self) -> None:
        self.refused(model_of("g (string[2] x) => (string[2] y) { y = Identity(x) }"), "'x': .* no elements of string")
        self.refused(model_of("g (seq(float[2]) x) => (int64 y) { y = SequenceLength(x) }"), "'x' is a sequence")
        self.refused(model_of("g (float[2] x) => (float8e5m2[2] y) { y = Cast<to: int = 19>(x) }"),
                     r"node 'y' \(Cast, version 19\) .* float8e5m2")  # fmt: skip

    def test_a_newer_operator_set_is_refused(self) -> None:
        self.refused(model_of("g (float[2] x) => (float[2] y) { y = Neg(x) }", 99), "operator set 99 is newer")


if __name__ == "__main__":
    unittest.main()
