"""The writer's models against what eager does, computed by ONNX's own reference. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import unittest
from collections.abc import Sequence
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx.checker
import onnx.shape_inference
from onnx.reference import ReferenceEvaluator

from adapters.onnx import session
from adapters.onnx.graph import Graph
from adapters.onnx.writer import OPS, Written, write
from adapters.worker.arrays import decode
from adapters.worker.system import Stages, UnsupportedError

Json = dict[str, Any]


def reference(graph: Json, _: Stages) -> tuple[Written, session.Program]:
    """ONNX's reference as a runtime; the model must be valid and say of itself what its nodes infer."""
    written = write(graph)
    model = written.graph.model()
    onnx.checker.check_model(model)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    evaluator = ReferenceEvaluator(model)
    names = [value.name for value in written.graph.inputs]
    program = session.Program(lambda: lambda arrays: evaluator.run(None, dict(zip(names, arrays, strict=True))))
    return written, program


def node(out: str, op: str, *args: object, **kwargs: object) -> Json:
    return {"out": out, "op": f"aten.{op}" if op != "getitem" else op, "args": list(args), "kwargs": kwargs}


def run(graph: Json, feed: Json, second: Json | None = None) -> Json:
    graph = {"constants": {}, "buffers": {}, **graph}
    return session.run_protocol({"case": {"graph": graph, "feed": feed}, "second_feed": second}, Stages(), reference)


def numbers(entry: Json) -> list[Any]:
    return decode(entry["data"], entry["type"]).reshape(-1).tolist()


def kinds(graph: Json) -> list[str]:
    return [kind for kind, *_ in write({"constants": {}, "buffers": {}, **graph}).graph.nodes]


class MemoryTest(unittest.TestCase):
    def test_a_write_is_seen_by_every_view(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[2,2]"}},
            "nodes": [
                node("row", "select.int", "%x", 0, 1),
                node("t", "t.default", "%x"),
                node("w", "mul_.Scalar", "%row", 10),
            ],
            "outputs": ["%t", "%w"],
        }
        reply = run(graph, {"x": [1, 2, 3, 4]})
        self.assertEqual(numbers(reply["outputs"][0]), [1, 30, 2, 40])
        self.assertEqual(numbers(reply["outputs"][1]), [30, 40])
        self.assertEqual(numbers(reply["inputs"]["x"]), [1, 2, 30, 40])

    def test_a_write_elsewhere_asks_for_no_strides(self) -> None:
        # What Where gives of expanded operands is laid out in a way that the writer does not follow.
        graph = {
            "inputs": {"x": {"type": "f32[2,3]"}, "y": {"type": "f32[2]"}},
            "nodes": [
                node("a", "scaled_dot_product_attention.default", "%x", "%x", "%x"),
                node("t", "transpose.int", "%a", 0, 1),
                node("e", "softmax.int", "%t", 0),
                node("r", "reshape.default", "%e", [6]),
                node("w", "add_.Scalar", "%y", 1),
            ],
            "outputs": ["%r"],
        }
        self.assertEqual(numbers(run(graph, {"x": [0] * 6, "y": [0, 1]})["inputs"]["y"]), [1, 2])
        graph["nodes"][-1] = node("w", "add_.Scalar", "%e", 1)
        with self.assertRaisesRegex(UnsupportedError, "strides that the writer does not follow"):
            run(graph, {"x": [0] * 6, "y": [0, 1]})

    def test_a_clone_sees_no_write(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[2]"}},
            "nodes": [node("c", "clone.default", "%x"), node("w", "zero_.default", "%x")],
            "outputs": ["%c"],
        }
        reply = run(graph, {"x": [1, 2]})
        self.assertEqual((numbers(reply["outputs"][0]), numbers(reply["inputs"]["x"])), ([1, 2], [0, 0]))

    def test_gapped_views_scatter(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[6]"}},
            "nodes": [
                node("s", "as_strided.default", "%x", [2, 2], [3, 1], 1),
                node("w", "neg_.default", "%s"),
                node("e", "slice.Tensor", "%x", 0, 0, 6, 2),
            ],
            "outputs": ["%e"],
        }
        reply = run(graph, {"x": [1, 2, 3, 4, 5, 6]})
        self.assertEqual(numbers(reply["inputs"]["x"]), [1, -2, -3, 4, -5, -6])
        self.assertEqual(numbers(reply["outputs"][0]), [1, -3, -5])

    def test_as_strided_follows_the_order_of_computed_memory(self) -> None:
        # relu keeps the strides of its transposed operand, so its storage lies column by column.
        graph = {
            "inputs": {"x": {"type": "f32[2,3]"}},
            "nodes": [
                node("t", "t.default", "%x"),
                node("r", "relu.default", "%t"),
                node("s", "as_strided.default", "%r", [6], [1]),
            ],
            "outputs": ["%s"],
        }
        self.assertEqual(numbers(run(graph, {"x": [1, 2, 3, 4, 5, 6]})["outputs"][0]), [1, 2, 3, 4, 5, 6])

    def test_what_eager_lays_out_anew_is_not_taken_for_its_operands_layout(self) -> None:
        for op, *more in (("log_sigmoid.default",), ("masked_fill.Scalar", "%m", 0.5), ("pow.Scalar",)):
            operands = [2.0, "%t"] if op == "pow.Scalar" else ["%t", *more]
            graph = {
                "inputs": {"x": {"type": "f32[2,3]"}},
                "nodes": [
                    node("t", "t.default", "%x"),
                    node("m", "gt.Scalar", "%t", 2),
                    node("r", op, *operands),
                    node("s", "as_strided.default", "%r", [6], [1]),
                ],
                "outputs": ["%s"],
            }
            with self.subTest(op), self.assertRaisesRegex(UnsupportedError, "depends on strides"):
                run(graph, {"x": [1, 2, 3, 4, 5, 6]})

    def test_reshaping_what_has_strides_that_are_not_followed_needs_that_nothing_is_written(self) -> None:
        reshaping = [
            node("t", "transpose.int", "%x", 0, 1),
            node("c", "cumsum.default", "%t", 0),
            node("v", "reshape.default", "%c", [6]),
            node("w", "contiguous.default", "%c"),
            node("u", "view.default", "%w", [2, 3]),
        ]
        graph = {"inputs": {"x": {"type": "f32[2,3]"}}, "nodes": reshaping, "outputs": ["%v", "%u"]}
        outputs = run(graph, {"x": [1, 2, 3, 4, 5, 6]})["outputs"]
        self.assertEqual([numbers(output) for output in outputs], [[1, 4, 3, 9, 6, 15]] * 2)
        writing = {**graph, "nodes": [*reshaping, node("n", "neg_.default", "%v")]}
        with self.assertRaisesRegex(UnsupportedError, "strides that the writer does not follow"):
            write({"constants": {}, "buffers": {}, **writing})

    def test_a_product_is_row_major_whatever_its_operands_are(self) -> None:
        product = [node("t", "transpose.int", "%x", 0, 1), node("m", "mm.default", "%t", "%x")]
        written = [*product, node("v", "view.default", "%m", [9]), node("n", "neg_.default", "%v")]
        graph = {"inputs": {"x": {"type": "f32[2,3]"}}, "nodes": written, "outputs": ["%m"]}
        (output,) = run(graph, {"x": [1, 0, 2, 0, 1, 0]})["outputs"]
        self.assertEqual(numbers(output), [-1, 0, -2, 0, -1, 0, -2, 0, -4])

    def test_the_dims_of_a_scalar_are_permuted(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[]"}},
            "nodes": [node("t", "transpose.int", "%x", 0, 0)],
            "outputs": ["%t"],
        }
        self.assertEqual(numbers(run(graph, {"x": [7]})["outputs"][0]), [7])

    def test_windows_on_one_storage_are_one_input(self) -> None:
        graph = {
            "storages": {"s": {"type": "f32[4]"}},
            "inputs": {
                "a": {"type": "f32[3]", "storage": "s", "strides": [1], "offset": 0},
                "b": {"type": "f32[2]", "storage": "s", "strides": [1], "offset": 2},
            },
            "nodes": [node("w", "fill_.Scalar", "%a", 7)],
            "outputs": ["%b"],
        }
        reply = run(graph, {"s": [1, 2, 3, 4]})
        self.assertEqual(numbers(reply["outputs"][0]), [7, 4])
        self.assertEqual(numbers(reply["inputs"]["b"]), [7, 4])

    def test_buffers_are_carried_and_begin_anew_in_a_fresh_instance(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[1]"}},
            "buffers": {"n": {"type": "f32[1]", "data": [10]}},
            "nodes": [node("w", "add_.Tensor", "%n", "%x")],
            "outputs": ["%n"],
        }
        reply = run(graph, {"x": [1]}, {"x": [5]})
        self.assertEqual(numbers(reply["buffers"]["n"]), [11])
        self.assertEqual(numbers(reply["b"]["buffers"]["n"]), [16])
        self.assertEqual(numbers(reply["again"]["outputs"][0]), [11])

    def test_writing_to_what_overlaps_itself_is_unsupported(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[3]"}},
            "nodes": [node("u", "unfold.default", "%x", 0, 2, 1), node("w", "zero_.default", "%u")],
            "outputs": ["%x"],
        }
        with self.assertRaises(UnsupportedError):
            run(graph, {"x": [1, 2, 3]})

    def test_a_tensor_object_that_is_turned_is_turned_under_all_its_names(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[1,2]"}},
            "nodes": [
                node("c", "contiguous.default", "%x"),
                node("t", "t_.default", "%c"),
            ],
            "outputs": ["%x"],
        }
        reply = run(graph, {"x": [1, 2]})
        self.assertEqual((reply["outputs"][0]["type"], reply["inputs"]["x"]["type"]), ("f32[2,1]", "f32[2,1]"))


class StructureTest(unittest.TestCase):
    def test_views_and_copies_stay_nodes(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[2,3]"}},
            "nodes": [
                node("a", "alias.default", "%x"),
                node("v", "view.default", "%a", [3, 2]),
                node("p", "permute.default", "%v", [1, 0]),
                node("c", "clone.default", "%p"),
            ],
            "outputs": ["%c", "%c", "%x"],
        }
        self.assertEqual(kinds(graph), ["Identity", "Reshape", "Transpose", "Identity", "Identity"])

    def test_names_of_the_case_never_meet_those_of_the_writer(self) -> None:
        graph = {
            "inputs": {"c0": {"type": "f32[2]"}, "t1": {"type": "f32[2]"}},
            "nodes": [node("t2", "add.Scalar", "%c0", 1), node("c1", "mul.Tensor", "%t2", "%t1")],
            "outputs": ["%c1"],
        }
        self.assertEqual(numbers(run(graph, {"c0": [1, 2], "t1": [3, 4]})["outputs"][0]), [6, 12])


class MeaningTest(unittest.TestCase):
    def check(self, op: str, operands: list[tuple[str, list[Any]]], wanted: list[Any], *args: object) -> None:
        inputs = {f"x{i}": {"type": kind} for i, (kind, _) in enumerate(operands)}
        graph = {
            "inputs": inputs,
            "nodes": [node("y", op, *(f"%{name}" for name in inputs), *args)],
            "outputs": ["%y"],
        }
        feed = {f"x{i}": data for i, (_, data) in enumerate(operands)}
        np.testing.assert_equal(numbers(run(graph, feed)["outputs"][0]), wanted, err_msg=op)

    def test_integers_divide_as_eager_divides(self) -> None:
        pair = [("i32[4]", [7, -7, 7, -7]), ("i32[4]", [2, 2, -2, -2])]
        self.check("floor_divide.default", pair, [3, -4, -4, 3])
        self.check("remainder.Tensor", pair, [1, 1, -1, -1])
        self.check("fmod.Tensor", pair, [1, -1, 1, -1])
        self.check("div.Tensor", pair, [3.5, -3.5, -3.5, 3.5])

    def test_narrow_integers_wrap(self) -> None:
        self.check("add.Tensor", [("i8[1]", [127]), ("i8[1]", [1])], [-128])
        self.check("mul.Tensor", [("u8[1]", [200]), ("u8[1]", [2])], [144])

    def test_rounding(self) -> None:
        self.check("round.default", [("f32[3]", [0.5, 1.5, -2.5])], [0.0, 2.0, -2.0])
        self.check("trunc.default", [("f32[2]", [1.7, -1.7])], [1.0, -1.0])

    def test_powers_of_integers_wrap(self) -> None:
        base = [("i8[3]", [3, -2, 0])]
        for exponent, wanted in ((0, [1, 1, 1]), (1, [3, -2, 0]), (5, [-13, -32, 0]), (7, [-117, -128, 0])):
            self.check("pow.Tensor_Scalar", base, wanted, exponent)

    def test_elu_with_a_scale_inside_its_exponential(self) -> None:
        below = np.float32(np.expm1(-0.5)) * np.float32(6)
        self.check("elu.default", [("f32[2]", [-1.0, 2.0])], [float(below), 6.0], 2, 3, 0.5)

    def test_a_threshold_of_integers_loses_what_is_behind_the_point(self) -> None:
        self.check("threshold.default", [("i32[3]", [-1, 0, 5])], [-1, -1, 5], 0.5, -1.5)
        with self.assertRaisesRegex(UnsupportedError, "300 beside u8"):
            self.check("threshold.default", [("u8[1]", [1])], [], 300, 0)

    def test_what_negative_pads_cut_off_is_mirrored_and_repeated(self) -> None:
        row = [("f32[1,4]", [1.0, 2.0, 3.0, 4.0])]
        self.check("reflection_pad1d.default", row, [2.0, 3.0, 4.0, 3.0, 2.0], [-1, 2])
        self.check("reflection_pad1d.default", row, [3.0, 2.0, 1.0, 2.0, 3.0], [2, -1])
        self.check("replication_pad1d.default", row, [1.0, 1.0, 1.0, 2.0, 3.0], [2, -1])

    def test_a_range_of_floats_is_a_constant(self) -> None:
        graph = {"inputs": {}, "nodes": [node("y", "arange.start_step", 0, 1, 0.25)], "outputs": ["%y"]}
        self.assertEqual(numbers(run(graph, {})["outputs"][0]), [0.0, 0.25, 0.5, 0.75])
        self.assertNotIn("Range", kinds(graph))

    def test_a_conversion_to_another_dtype_takes_any_memory_format(self) -> None:
        self.check("to.dtype", [("f32[1,1,1,2]", [1.0, 2.5])], [1, 2], "i32", False, False, "channels_last")

    def test_numbers_promote_as_in_eager(self) -> None:
        self.check("add.Scalar", [("i64[1]", [1])], [1.5], 0.5)
        self.check("add.Tensor", [("f32[1]", [1.0]), ("f64[]", [0.5])], [1.5])

    def test_addr_counts_a_scalar_since_it_is_expanded_first(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f64[]"}, "y": {"type": "f32[1]"}},
            "nodes": [node("a", "addr.default", "%x", "%y", "%y")],
            "outputs": ["%a"],
        }
        self.assertEqual(run(graph, {"x": [1], "y": [2]})["outputs"][0]["type"], "f64[1,1]")

    def test_ldexp_by_an_integer_keeps_a_float_its_dtype(self) -> None:
        for kind in ("f16", "f32"):
            entry = run(
                {
                    "inputs": {"x": {"type": f"{kind}[]"}, "n": {"type": "u8[]"}},
                    "nodes": [node("y", "ldexp.Tensor", "%x", "%n")],
                    "outputs": ["%y"],
                },
                {"x": [3], "n": [2]},
            )["outputs"][0]
            self.assertEqual((entry["type"], numbers(entry)), (f"{kind}[]", [12.0]))

    def test_ldexp_shifts_an_exponent_beyond_what_a_power_of_two_reaches(self) -> None:
        n = [252, -252, 127, -149, -150, -260, -(2**62), 2**62]
        for kind, size, values in (
            ("f32", np.float32, [0.0, 3e38, 1e-40]),
            ("f64", np.float64, [0.0, 1.5e308, 3e-310]),
        ):
            for x in values:
                counts = n if kind == "f32" else [8 * count for count in n[:6]] + n[6:]
                with np.errstate(over="ignore", under="ignore"):
                    wanted = [float(np.ldexp(size(x), np.clip(count, -5000, 5000))) for count in counts]
                self.check("ldexp.Tensor", [(f"{kind}[]", [x]), ("i64[8]", counts)], wanted)

    def test_numbers_of_doubles_do_not_go_through_float_attributes(self) -> None:
        # Each of these would be off by 1e-8 with its number as an f32.
        a, scale = 1.6732632423543772, 1.0507009873554805
        vector, matrix = ("f64[1]", [3.0]), ("f64[1,1]", [3.0])
        calls = [
            ("selu.default", [("f64[1]", [-1.0])], (), scale * a * np.expm1(-1.0)),
            ("elu.default", [("f64[1]", [-1.0])], (0.3, 0.7), 0.7 * 0.3 * np.expm1(-1.0)),
            ("elu.default", [("f64[1]", [2.0])], (0.3, 0.7), 0.7 * 2.0),
            ("leaky_relu.default", [("f64[1]", [-2.0])], (0.1,), -0.2),
            ("addmm.default", [matrix] * 3, (), 12.0),
        ]
        tanh_form = 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * 1.044715))
        self.near("gelu.default", [("f64[1]", [1.0])], tanh_form, approximate="tanh")
        for op, sources, more, wanted in calls:
            self.near(op, sources, wanted, *more)
        self.near("addmm.default", [matrix] * 3, 0.1 * 3 + 0.7 * 9, beta=0.1, alpha=0.7)
        norm = [("f64[1,1]", [3.0]), *([vector] * 3), ("f64[1]", [2.0])]
        self.near("batch_norm.default", norm, 3.0, False, 0.1, 1e-5, False)
        norm = [("f64[1,1]", [5.0]), *([vector] * 3), ("f64[1]", [2.0])]
        self.near("batch_norm.default", norm, 2 / np.sqrt(2 + 1e-5) * 3 + 3, False, 0.1, 1e-5, False)

    def near(
        self, op: str, sources: list[tuple[str, list[Any]]], wanted: float, *more: object, **named: object
    ) -> None:
        names = [f"x{i}" for i in range(len(sources))]
        graph = {
            "inputs": {name: {"type": kind} for name, (kind, _) in zip(names, sources, strict=True)},
            "nodes": [node("y", op, *(f"%{name}" for name in names), *more, **named)],
            "outputs": ["%y"],
        }
        feed = {name: data for name, (_, data) in zip(names, sources, strict=True)}
        self.assertLess(abs(numbers(run(graph, feed)["outputs"][0])[0] / wanted - 1), 1e-15, op)

    def test_a_mean_of_no_elements_is_open(self) -> None:
        for op in ("mean.default", "var.default"):
            with self.assertRaisesRegex(UnsupportedError, "no elements"):
                self.check(op, [("f32[0]", [])], [])

    def test_the_last_window_of_ceil_mode_is_a_mean_of_what_it_holds(self) -> None:
        row = [("f32[1,1,5]", [1.0, 2.0, 3.0, 4.0, 8.0])]
        self.check("avg_pool1d.default", row, [1.5, 3.5, 8.0], [2], [2], [0], True)
        self.check("avg_pool1d.default", row, [1.5, 3.5], [2], [2], [0], False)
        picture = [("f32[1,1,1,5]", [1.0, 2.0, 3.0, 8.0, 4.0])]
        self.check("max_pool2d.default", picture, [2.0, 8.0, 4.0], [1, 2], [2, 2], [0, 0], [1, 1], True)

    def test_a_window_of_ceil_mode_that_begins_in_the_pad_is_unsupported(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "begins in the pad"):
            self.check("avg_pool1d.default", [("f32[1,1,4]", [1.0, 2.0, 3.0, 4.0])], [], [2], [3], [1], True)

    def test_an_older_operator_set_is_named_where_it_can_say_the_model(self) -> None:
        def graph(op: str, *operands: str, args: Sequence[object] = ()) -> Graph:
            inputs = {f"x{i}": {"type": kind} for i, kind in enumerate(operands)}
            nodes = [node("y", op, *(f"%{name}" for name in inputs), *args)]
            made = write({"inputs": inputs, "constants": {}, "buffers": {}, "nodes": nodes, "outputs": ["%y"]}).graph
            made.opset = 18
            return made

        self.assertEqual(graph("relu.default", "f32[2]").model().opset_import[0].version, 18)
        with self.assertRaisesRegex(UnsupportedError, "operator set 18 cannot say this model: .*Gelu"):
            graph("gelu.default", "f32[2]").model()
        with self.assertRaisesRegex(UnsupportedError, "operator set 18 has other names for the modes of GridSample"):
            graph("grid_sampler_2d.default", "f32[1,1,2,2]", "f32[1,2,2,2]", args=(0, 0, False)).model()

    def test_sign_of_nan(self) -> None:
        self.check("sgn.default", [("f32[2]", ["nan", -3.0])], [0.0, -1.0])

    def test_any_counts_nan(self) -> None:
        self.check("any.default", [("f32[2]", [0.0, "nan"])], [True])

    def test_indices_from_behind_and_sums_where_they_meet(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[2]"}, "v": {"type": "f32[2]"}},
            "nodes": [
                node("y", "index_put.default", "%x", ["%i"], "%v", True),
                node("z", "index.Tensor", "%x", ["%i"]),
            ],
            "outputs": ["%y", "%z"],
        }
        reply = run(graph, {"x": [1, 2, 3], "i": [-1, -1], "v": [10, 20]})
        self.assertEqual(numbers(reply["outputs"][0]), [1, 2, 33])
        self.assertEqual(numbers(reply["outputs"][1]), [3, 3])

    def test_an_index_of_no_elements_has_the_sizes_that_onnx_allows(self) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[1,2]"}, "i": {"type": "i64[2,0]"}},
            "nodes": [node("y", "gather.default", "%x", 1, "%i")],
            "outputs": ["%y"],
        }
        with self.assertRaisesRegex(UnsupportedError, "no elements"):
            run(graph, {"x": [1, 2], "i": []})
        graph["inputs"]["i"]["type"] = "i64[1,0]"
        self.assertEqual(numbers(run(graph, {"x": [1, 2], "i": []})["outputs"][0]), [])

    def put(self, indices: list[str | None], values: str) -> list[float]:
        """Zeros of [2, 3] after a write of `values` where the indices say."""
        graph = {
            "inputs": {"x": {"type": "f32[2,3]"}, "i": {"type": "i64[2]"}, "v": {"type": values}},
            "nodes": [node("y", "index_put.default", "%x", indices, "%v", False)],
            "outputs": ["%y"],
        }
        count = 4 if values == "f32[2,2]" else 2
        feed = {"x": [0] * 6, "i": [1, 0], "v": [1, 2, 3, 4][:count]}
        return numbers(run(graph, feed)["outputs"][0])

    def test_places_behind_dims_that_are_written_whole(self) -> None:
        self.assertEqual(self.put([None, "%i"], "f32[2,2]"), [2, 1, 0, 4, 3, 0])
        self.assertEqual(self.put([None, "%i"], "f32[2]"), [2, 1, 0, 2, 1, 0])
        self.assertEqual(self.put(["%i", "%i"], "f32[2]"), [2, 0, 0, 0, 1, 0])


class TableTest(unittest.TestCase):
    def test_the_table_is_wide(self) -> None:
        self.assertGreater(len(OPS), 400)
        self.assertIn("aten.add_.Tensor", OPS)

    def test_every_overload_is_one_of_pytorch(self) -> None:
        if importlib.util.find_spec("torch") is None:
            self.skipTest("this Python has no torch")
        from adapters.torch.case_module import overload

        for op in OPS:
            overload(op)

    def test_an_op_without_counterpart_is_unsupported(self) -> None:
        graph = {"inputs": {"x": {"type": "f32[1]"}}, "nodes": [node("y", "erfinv.default", "%x")], "outputs": ["%y"]}
        with self.assertRaisesRegex(UnsupportedError, "erfinv"):
            run(graph, {"x": [0]})

    def test_equal_constants_are_one(self) -> None:
        graph = Graph()
        self.assertEqual(graph.number(1.0, "f32"), graph.number(1.0, "f32"))
        self.assertNotEqual(graph.number(0.0, "f32").name, graph.number(-0.0, "f32").name)


if __name__ == "__main__":
    unittest.main()
