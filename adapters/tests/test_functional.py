"""Graphs as calls of an array library, which here is numpy: the rows that all libraries share, and the walk itself."""

from __future__ import annotations

import importlib.util
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

for _package in ("numpy", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np

from adapters.functional import direct as direct_module
from adapters.functional import movement_rows, pointwise_rows, reduction_rows, window_rows
from adapters.functional.calls import Library, Table, evaluate
from adapters.functional.direct import direct, taken
from adapters.onnx.writer import write
from adapters.worker.arrays import DTYPES, decode
from adapters.worker.system import Stages, System, UnsupportedError

Json = dict[str, Any]
Call = tuple[Any, ...]  # an op and its arguments; its result is named by its place, "v0" …


class Names:
    """numpy, and what the rows ask for beside it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def rsqrt(x: np.ndarray) -> np.ndarray:
        return 1 / np.sqrt(x)

    @staticmethod
    def scatter(x: np.ndarray, places: np.ndarray, updates: np.ndarray, reduction: str) -> np.ndarray:
        made = x.copy()
        if reduction == "none":
            made[places] = updates
        else:
            {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[reduction].at(
                made, places, updates
            )
        return made

    @staticmethod
    def stable_order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
        return np.argsort(-x if descending else x, axis=axis, kind="stable")


LIBRARY = Library(Names(), np.asarray, lambda x, dtype: x.astype(DTYPES[dtype]))
TABLE: Table = {
    **pointwise_rows.ROWS,
    **movement_rows.ROWS,
    **reduction_rows.ROWS,
    **window_rows.ROWS,
    "Div": lambda call: np.divide(*call.operands),
    "Mod": lambda call: (np.fmod if call.get("fmod") else np.remainder)(*call.operands),
    "Log1p": lambda call: np.log1p(call.x),
    "Any": reduction_rows.truth,
    "SumOfShort": reduction_rows.sum_of_short,
    "All": reduction_rows.truth,
    "Remainder": lambda call: np.remainder(*call.operands),
    "Median": lambda call: np.median(call.x),
    "NanToNum": lambda call: np.nan_to_num(call.x, nan=call.get("nan") or 0.0, posinf=call.get("posinf")),
}


def run(inputs: dict[str, str], calls: list[Call], outputs: list[str], feed: list[np.ndarray], **more: Json) -> Any:
    nodes = [{"out": f"v{i}", "op": f"aten.{op}", "args": list(rest)} for i, (op, *rest) in enumerate(calls)]
    given = {name: {"type": text} for name, text in inputs.items()}
    graph = {"inputs": given, "nodes": nodes, "outputs": outputs, **more}
    written = write(graph, more=direct(TABLE)).graph
    return evaluate(LIBRARY, TABLE, written, feed)


class RowTest(unittest.TestCase):
    def check(self, call: Call, x: np.ndarray, expected: Any, *others: str) -> None:
        """One call of x, in f32, against what is expected of it."""
        sizes = ",".join(map(str, x.shape))
        results = run({"x": f"f32[{sizes}]"}, [call], ["%v0", *others], [x.astype(np.float32)])
        wanted = np.asarray(expected)
        self.assertEqual(results[0].shape, wanted.shape, call)
        np.testing.assert_allclose(results[0], wanted, rtol=1e-5, atol=1e-6, err_msg=str(call))

    def setUp(self) -> None:
        self.x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 4 - 2

    def test_pointwise(self) -> None:
        self.check(("exp.default", "%x"), self.x, np.exp(self.x))
        self.check(("clamp.default", "%x", -1, 1), self.x, np.clip(self.x, -1, 1))
        self.check(("leaky_relu.default", "%x", 0.5), self.x, np.where(self.x > 0, self.x, self.x / 2))
        self.check(("log1p.default", "%x"), np.array([1e-10]), [1e-10])
        self.check(("remainder.Scalar", "%x", -0.75), self.x, np.remainder(self.x, -0.75))
        self.check(("nan_to_num.default", "%x", 3, 5), np.array([np.nan, np.inf, 1]), [3, 5, 1])

    def test_movement(self) -> None:
        x = self.x
        self.check(("flip.default", "%x", [0, 2]), x, x[::-1, :, ::-1])
        self.check(("permute.default", "%x", [2, 0, 1]), x, x.transpose(2, 0, 1))
        self.check(("constant_pad_nd.default", "%x", [1, -2], 9), x, np.pad(x[..., :-2], ((0, 0), (0, 0), (1, 0)),
                   constant_values=9))  # fmt: skip
        self.check(("reflection_pad1d.default", "%x", [2, 1]), x[0], np.pad(x[0], ((0, 0), (2, 1)), mode="reflect"))
        self.check(("replication_pad1d.default", "%x", [0, 2]), x[0], np.pad(x[0], ((0, 0), (0, 2)), mode="edge"))
        self.check(("repeat.default", "%x", [2, 1, 1, 3]), x, np.tile(x, (2, 1, 1, 3)))
        self.check(("roll.default", "%x", [1], [2]), x, np.roll(x, 1, 2))

    def test_reductions(self) -> None:
        x = self.x
        self.check(("mean.dim", "%x", [0, 2], True), x, x.mean((0, 2), keepdims=True))
        self.check(("sum.dim_IntList", "%x", []), x, x.sum())
        self.check(("var.correction", "%x", [1]), x, x.var(1, ddof=1))
        self.check(("cumsum.default", "%x", 1), x, x.cumsum(1))
        self.check(("any.dim", "%x", 1, True), x, x.any(1, keepdims=True))
        self.check(("all.dims", "%x", [0, 2]), x, x.all((0, 2)))
        self.check(("all.default", "%x"), x, x.all())
        self.check(("layer_norm.default", "%x", [4]), x, (x - x.mean(2, keepdims=True))
                   / np.sqrt(x.var(2, keepdims=True) + 1e-5))  # fmt: skip

    def test_a_reduction_has_the_sizes_that_the_library_gives_it(self) -> None:
        with mock.patch.object(np, "sum", lambda x, axis, keepdims: np.zeros((1, 7), np.float32)):
            found = run({"x": "f32[2,3]"}, [("sum.dim_IntList", "%x", [0])], ["%v0"], [np.zeros((2, 3), np.float32)])
        self.assertEqual(found[0].shape, (1, 7))

    def test_a_median_is_of_an_odd_number(self) -> None:
        self.check(("median.default", "%x"), self.x[0, :, :3], np.median(self.x[0, :, :3]))
        with self.assertRaisesRegex(UnsupportedError, "an even number"):
            self.check(("median.default", "%x"), self.x, 0)

    def test_the_last_of_equal_ones_stays_last(self) -> None:
        x = np.array([1.0, 3.0, 1.0, 3.0])
        found = run({"x": "f32[4]"}, [("sort.stable", "%x", True, 0, True)], ["%v0"], [x.astype(np.float32)])
        self.assertEqual(found[0].tolist(), [3, 3, 1, 1])
        self.assertEqual(found[1].tolist(), [1, 3, 0, 2])

    def test_sums_of_short_integers_are_the_librarys_own(self) -> None:
        def sums(kind: str, data: list[list[int]], *calls: Call) -> list[Any]:
            x = np.array(data, DTYPES[kind])
            found = run({"x": f"{kind}[2,2]"}, list(calls), [f"%v{i}" for i in range(len(calls))], [x])
            self.assertEqual({one.dtype for one in found}, {np.dtype("int64")})
            return [one.tolist() for one in found]

        calls = (("sum.dim_IntList", "%x", [0, 1]), ("sum.dim_IntList", "%x", [0], True), ("sum.default", "%x"))
        self.assertEqual(sums("u8", [[2, 0], [250, 250]], *calls), [502, [[252, 250]], 502])
        self.assertEqual(sums("i8", [[-128, 0], [-128, 1]], calls[2]), [-255])
        # What 32 bits may not hold is widened first.
        with mock.patch.object(direct_module, "_LARGEST", {"u8": 2**30}), mock.patch.dict(TABLE, {"SumOfShort": None}):
            self.assertEqual(sums("u8", [[2, 0], [250, 250]], calls[2]), [502])

    def test_pools(self) -> None:
        x = self.x[:, :1]
        self.check(("avg_pool1d.default", "%x", [2], [2]), x, x.reshape(2, 1, 2, 2).mean(3))
        self.check(("avg_pool1d.default", "%x", [2], [3], [1], False, False), x[:, :, :3],
                   np.stack([x[:, :, 0], x[:, :, 2]], 2))  # fmt: skip
        values, places = run(
            {"x": "f32[1,1,2,3]"},
            [("max_pool2d_with_indices.default", "%x", [2, 2], [1, 1])],
            ["%v0"],
            [np.array([[[[1, 5, 2], [7, 0, 5]]]], dtype=np.float32)],
        )
        self.assertEqual((values.tolist(), places.tolist()), ([[[[7, 5]]]], [[[[3, 1]]]]))
        picture = np.array([[[[1, 5, 2], [7, 0, 5]]]], dtype=np.float32)
        self.check(("max_pool2d.default", "%x", [2, 2], [1, 1]), picture, np.array([[[[7, 5]]]], dtype=np.float32))

    def test_a_last_window_that_reaches_beyond_the_end_is_declined(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "ceil_mode"):
            self.check(("avg_pool1d.default", "%x", [3], [2], [0], True), self.x, 0)

    def test_which_pads_are_those_of_same(self) -> None:
        # Sizes, the kernel's, the stride, the pad at both ends.
        for sizes, kernel, stride, pad, same in (
            ((5, 5), (3, 3), 1, 1, True),
            ((5, 5), (3, 3), 1, 0, False),
            ((4, 4), (3, 3), 2, 1, False),  # one is missing, which `SAME` puts behind
            ((5, 5), (3, 3), 2, 1, True),
            ((17, 18), (3, 3), 10, 0, True),  # nothing is missing where the stride is large
            ((17, 18), (3, 3), 8, 0, False),  # but a third window begins there
            ((5, 7), (1, 1), 1, 0, True),
        ):
            with self.subTest(sizes=sizes, kernel=kernel, stride=stride, pad=pad):
                found: list[bool] = []

                def convolution(call: Any, found: list[bool] = found) -> np.ndarray:
                    found.append(window_rows.pads_as_same(call, call.shapes[1][2:]))
                    return np.zeros(call.shape, np.float32)

                x, weight = np.zeros((1, 1, *sizes), np.float32), np.zeros((1, 1, *kernel), np.float32)
                call = ("conv2d.default", "%x", "%w", None, [stride, stride], [pad, pad])
                with mock.patch.dict(TABLE, {"Conv": convolution}):
                    texts = {name: f"f32[{','.join(map(str, one.shape))}]" for name, one in (("x", x), ("w", weight))}
                    run(texts, [call], ["%v0"], [x, weight])
                self.assertEqual(found, [same])

    def test_resampling(self) -> None:
        x = np.array([[[0.0, 1.0, 2.0]]])
        self.check(("upsample_nearest1d.default", "%x", [6]), x, np.repeat(x, 2, 2))
        self.check(("upsample_linear1d.default", "%x", [5], True), x, [[[0, 0.5, 1, 1.5, 2]]])
        self.check(("upsample_linear1d.default", "%x", [6], False), x, [[[0, 0.25, 0.75, 1.25, 1.75, 2]]])


class IndexTest(unittest.TestCase):
    def test_negative_indices_count_from_the_end(self) -> None:
        feed = [np.array([1, 2, 3], dtype=np.float32), np.array([-1, 0], dtype=np.int64)]
        inputs = {"x": "f32[3]", "i": "i64[2]"}
        for call, expected in (
            (("index.Tensor", "%x", ["%i"]), [3, 1]),
            (("take.default", "%x", "%i"), [3, 1]),
            (("index_put.default", "%x", ["%i"], "%x2", True), [11, 2, 13]),
        ):
            given, fed = dict(inputs), list(feed)
            if "%x2" in call:
                given["x2"] = "f32[2]"
                fed.append(np.array([10, 10], dtype=np.float32))
            with self.subTest(call=call):
                self.assertEqual(run(given, [call], ["%v0"], fed)[0].tolist(), expected)

    def test_elements_and_scattered_ones(self) -> None:
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        places = np.array([[2, 0], [1, 1]], dtype=np.int64)
        inputs = {"x": "f32[2,3]", "i": "i64[2,2]"}
        self.assertEqual(run(inputs, [("gather.default", "%x", 1, "%i")], ["%v0"], [x, places])[0].tolist(),
                         [[2, 0], [4, 4]])  # fmt: skip
        made = run(inputs, [("scatter.value_reduce", "%x", 1, "%i", 10, "multiply")], ["%v0"], [x, places])[0]
        self.assertEqual(made.tolist(), [[0, 1, 20], [3, 400, 5]])

    def test_a_write_through_a_view_is_seen(self) -> None:
        calls = [("select.int", "%x", 0, 1), ("mul_.Scalar", "%v0", 10), ("sum.default", "%x")]
        x = np.array([[1, 2], [3, 4]], dtype=np.float32)
        results = run({"x": "f32[2,2]"}, calls, ["%v2"], [x])
        self.assertEqual([one.tolist() for one in results], [73, [[1, 2], [30, 40]]])


class WalkTest(unittest.TestCase):
    def test_an_operator_without_a_row_is_unsupported(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "no row spells Mish"):
            run({"x": "f32[1]"}, [("mish.default", "%x")], ["%v0"], [np.zeros(1, np.float32)])

    def test_sizes_must_be_known(self) -> None:
        from adapters.onnx.graph import Graph

        graph = Graph()
        x, count = graph.input("x", "f32", (3,)), graph.input("n", "i64", (1,))
        graph.output(graph.op("Tile", x, count, shape=(6,)))
        with self.assertRaisesRegex(UnsupportedError, "operand 1 of Tile is known only at run time"):
            evaluate(LIBRARY, TABLE, graph, [np.zeros(3, np.float32), np.array([2])])

    def test_functions_are_taken_where_there_is_a_row(self) -> None:
        more = direct({"Expm1", "Signbit"})
        self.assertEqual(sorted(more.functions), ["aten.expm1.default", "aten.signbit.default"])
        self.assertEqual(more.in_place, {"aten.expm1_.default": "aten.expm1.default"})
        self.assertIn("aten.signbit.default", taken(more))
        self.assertNotIn("aten.grid_sampler_2d.default", taken(more))

    def test_a_quotient_rounded_down_is_one_operator_where_there_is_a_row(self) -> None:
        x, y = np.array([-7, 7, -7.5, 7.5], np.float32), np.array([2, -2, 2, -2], np.float32)
        inputs, calls = {"x": "f32[4]", "y": "f32[4]"}, [("floor_divide.default", "%x", "%y")]
        down = {"FloorDivide": lambda call: np.floor_divide(*call.operands)}
        with mock.patch.dict(TABLE, down):
            self.assertEqual(run(inputs, calls, ["%v0"], [x, y])[0].tolist(), [-4, -4, -4, -4])
        self.assertEqual(sorted(direct(down).functions), ["aten.floor_divide.Scalar", "aten.floor_divide.default"])
        self.assertEqual(direct(down).in_place, {})


Make = Callable[[list[str]], System]


class StateTest(unittest.TestCase):
    """What a library keeps from run to run, in the environment that has it."""

    def check(self, make: Make, configurations: list[list[str]]) -> None:
        graph = {
            "inputs": {"x": {"type": "f32[2]"}},
            "buffers": {"s": {"type": "f32[2]", "data": [1, 2]}},
            "nodes": [{"out": "a", "op": "aten.add_.Tensor", "args": ["%s", "%x"]}],
            "outputs": ["%a"],
        }
        request = {"case": {"graph": graph, "feed": {"x": [1, 1]}}, "second_feed": {"x": [5, 5]}}
        for arguments in configurations:
            with self.subTest(arguments=arguments):
                reply = make(arguments).run(request, Stages())
                read = [reply["outputs"][0], reply["kept"][0], reply["b"]["buffers"]["s"]]
                found = [decode(entry["data"], entry["type"]).tolist() for entry in read]
                self.assertEqual(found, [[2, 3], [2, 3], [7, 8]])

    @unittest.skipIf(importlib.util.find_spec("jax") is None, "this Python has no jax")
    def test_jax(self) -> None:
        from adapters.functional.jax_xla import make

        self.check(make, [[], ["--jit=no"], ["--donate=yes"], ["--level=0"], ["--scheduler=memory"]])

    @unittest.skipIf(importlib.util.find_spec("mlx") is None, "this Python has no mlx")
    def test_mlx(self) -> None:
        from adapters.functional.mlx_cpu import make

        self.check(make, [[], ["--compile=no"], ["--divmod=yes"]])

    @unittest.skipIf(importlib.util.find_spec("tensorflow") is None, "this Python has no tensorflow")
    def test_tensorflow(self) -> None:
        from adapters.functional.tensorflow_graph import SWITCHES
        from adapters.functional.tensorflow_program import make_tensorflow

        for jit in (False, True):

            def make(arguments: list[str], jit: bool = jit) -> System:
                return make_tensorflow("tensorflow", arguments, jit, SWITCHES, "tensorflow")

            self.check(make, [[], ["--graph=no"], ["--disable_meta_optimizer=yes"], ["--remapping=no"]])

    @unittest.skipIf(importlib.util.find_spec("ai_edge_litert") is None, "this Python has no LiteRT")
    def test_litert(self) -> None:
        from adapters.functional.litert_program import make_litert

        for delegate in (False, True):

            def make(arguments: list[str], delegate: bool = delegate) -> System:
                return make_litert("litert", arguments, delegate, "litert")

            self.check(make, [[], ["--kernels=reference"], ["--preserve=yes"]])


if __name__ == "__main__":
    unittest.main()
