"""One case that writes to an input and to a buffer, through each way of the PyTorch family that this Python has."""

from __future__ import annotations

import importlib.util
import math
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

from adapters.torch import compile, eager, export
from adapters.torch.tensors import decode, parse_type
from adapters.worker.system import NotRunError, Stages, System, UnsupportedError

GRAPH: dict[str, Any] = {
    "inputs": {"x": {"type": "f32[2]"}},
    "constants": {"w": {"type": "f32[2]", "data": [10, 20]}},
    "buffers": {"c": {"type": "f32[2]", "data": [5, 6]}},
    "nodes": [
        {"out": "a", "op": "aten.add_.Tensor", "args": ["%c", "%x"]},
        {"out": "b", "op": "aten.mul.Tensor", "args": ["%a", "%w"]},
        {"out": "m", "op": "aten.neg_.default", "args": ["%x"]},
    ],
    "outputs": ["%b"],
}
CASE = {"graph": GRAPH, "feed": {"x": [1, 2]}}


# A mean over B, and a slice whose ends hang on it; B is what was traced at, one, and in between.
DYNAMIC_CASE = {
    "requires": ["runs", "symbols"],
    "symbols": {"B": [1, 4]},
    "graph": {
        "inputs": {"x": {"type": "f32[B]"}, "y": {"type": "f32[2*B]"}},
        "nodes": [
            {"out": "m", "op": "aten.mean.dim", "args": ["%x", [0]]},
            {"out": "s", "op": "aten.slice.Tensor", "args": ["%y", 0, 2, "$2*B"]},
            {"out": "v", "op": "aten.view.default", "args": ["%x", ["$B"]]},
        ],
        "outputs": ["%m", "%s", "%v"],
    },
    "runs": [
        {"feed": {"x": {"type": "f32[4]", "data": [1, 2, 3, 4]}, "y": {"type": "f32[8]", "data": [0] * 8}}},
        {"feed": {"x": {"type": "f32[1]", "data": [1]}, "y": {"type": "f32[2]", "data": [0, 1]}}},
        {"feed": {"x": {"type": "f32[3]", "data": [1, 2, 3]}, "y": {"type": "f32[6]", "data": [2, 3, 4, 5, 6, 7]}}},
    ],
}


# What of x is above 0, as a column, and where it is: four, none and two of it.
COUNTED_CASE = {
    "requires": ["runs", "symbols", "counts"],
    "symbols": {"B": [1, 4], "N": [0, 8]},
    "graph": {
        "inputs": {"x": {"type": "f32[B,2]"}},
        "nodes": [
            {"out": "m", "op": "aten.gt.Scalar", "args": ["%x", 0]},
            {"out": "k", "op": "aten.masked_select.default", "args": ["%x", "%m"], "count": "N"},
            {"out": "p", "op": "aten.nonzero.default", "args": ["%m"], "count": "N"},
            {"out": "i", "op": "aten.index.Tensor", "args": ["%x", ["%m"]], "count": "N"},
            {"out": "v", "op": "aten.view.default", "args": ["%k", ["$N", 1]]},
            {"out": "e", "op": "aten.mul.Tensor", "args": ["%k", "%i"]},
        ],
        "outputs": ["%p", "%v", "%e"],
    },
    "runs": [
        {"feed": {"x": {"type": "f32[3,2]", "data": [1, -1, 2, -2, 3, 4]}}, "counts": {"N": 4}},
        {"feed": {"x": {"type": "f32[1,2]", "data": [-1, 0]}}, "counts": {"N": 0}},
        {"feed": {"x": {"type": "f32[2,2]", "data": [-1, 5, 6, -2]}}, "counts": {"N": 2}},
    ],
}


def has(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def values(entry: dict[str, Any]) -> list[Any]:
    return decode(entry["data"], *parse_type(entry["type"])).reshape(-1).tolist()


def compile_system(*backends: str) -> System:
    return compile.make_system("torch-compile", backends, "eager", [])


class RunTest(unittest.TestCase):
    def check(self, system: System, stages: list[str]) -> None:
        request = {"case": CASE, "second_feed": {"x": [0, 1]}, "stages": True}
        reply = system.run(request, Stages())
        for run in (reply, reply["again"], *reply["stages"]):
            self.assertEqual(values(run["outputs"][0]), [60, 160])
            self.assertEqual(values(run["inputs"]["x"]), [-1, -2])
            self.assertEqual(values(run["buffers"]["c"]), [6, 8])
        self.assertEqual(values(reply["b"]["buffers"]["c"]), [6, 9])
        self.assertEqual([stage["name"] for stage in reply["stages"]], stages)

    def test_torch_export(self) -> None:
        self.check(export.make_system([]), ["export"])

    def test_torch_compile(self) -> None:
        self.check(compile_system("eager", "aot_eager"), ["eager"])

    def check_sizes(self, system: System) -> dict[str, Any]:
        reply = system.run({"case": DYNAMIC_CASE}, Stages())
        runs = [reply, *reply["later"]]
        self.assertEqual([values(run["outputs"][0]) for run in runs], [[2.5], [1.0], [2.0]])
        self.assertEqual([values(run["outputs"][1]) for run in runs], [[0] * 6, [], [4, 5, 6, 7]])
        self.assertEqual([values(run["outputs"][2]) for run in runs], [[1, 2, 3, 4], [1], [1, 2, 3]])
        self.assertEqual([values(run["outputs"][0]) for run in reply["later_again"]], [[1.0], [2.0]])
        self.assertEqual(values(reply["kept"][0]), [2.5])
        return reply

    def test_one_program_at_several_sizes(self) -> None:
        self.check_sizes(eager.make_system([]))
        self.assertEqual(self.check_sizes(export.make_system([]))["specialized"], [])
        self.assertGreaterEqual(self.check_sizes(compile_system("aot_eager"))["recompiled"], 0)
        automatic = compile.make_system("torch-compile", ("aot_eager",), "eager", ["--dynamism=automatic"])
        self.assertGreaterEqual(self.check_sizes(automatic)["recompiled"], 1)

    @unittest.skipUnless(has("executorch"), "this Python has no executorch")
    def test_the_buffers_of_executorch_are_read_by_a_method(self) -> None:
        from adapters.executorch import pipeline

        self.check(pipeline.make_system("executorch-portable", []), ["export", "decompose"])
        inside = pipeline.make_system("executorch-portable", ["--state=inside"])
        self.assertIsNone(inside.run({"case": CASE}, Stages())["buffers"]["c"])

    @unittest.skipUnless(has("executorch"), "this Python has no executorch")
    def test_an_edge_program_that_is_run_as_it_is_needs_no_method_for_its_buffers(self) -> None:
        from adapters.executorch import pipeline
        from adapters.torch.case_module import live

        system = pipeline.make_system(
            "edge", [], run_edge=lambda graph, edge: live(graph, edge.exported_program().module(), identity=False)
        )
        self.assertIn("c", system.run({"case": CASE}, Stages())["buffers"])

    @unittest.skipUnless(has("executorch"), "this Python has no executorch")
    def test_one_program_of_executorch_at_several_sizes(self) -> None:
        from adapters.executorch import pipeline

        self.check_sizes(pipeline.make_system("executorch-portable", []))

    def test_a_profile_that_is_sent_has_a_name(self) -> None:
        from adapters.torch import inductor

        self.assertEqual(inductor.PROFILE["name"], "torch-inductor")  # without one the greeting is refused

    def test_a_stage_that_fails_says_so_and_the_case_goes_on(self) -> None:
        reply = compile_system("no_such_backend", "eager").run({"case": CASE, "stages": True}, Stages())
        self.assertEqual(values(reply["outputs"][0]), [60, 160])
        self.assertIn("no_such_backend", reply["stages"][0]["error"])

    def test_sizes_that_hang_on_data(self) -> None:
        systems = (eager.make_system([]), export.make_system([]), compile_system("aot_eager"))
        for system in systems:
            with self.subTest(system.hello()["name"]):
                self.assertTrue(system.hello()["counts"])
                reply = system.run({"case": COUNTED_CASE}, Stages())
                self.assertEqual(values(reply["outputs"][0]), [0, 0, 1, 0, 2, 0, 2, 1])
                self.assertEqual(reply["later"][0]["outputs"][0]["type"], "i64[0,2]")
                self.assertEqual(reply["later"][1]["outputs"][1]["type"], "f32[2,1]")
                self.assertEqual(values(reply["later"][1]["outputs"][2]), [25, 36])

    def test_one_size_after_another_makes_no_symbols(self) -> None:
        system = compile_system("eager")
        for size in (2, 3, 4):
            graph = {
                "inputs": {"x": {"type": f"f32[{size}]"}},
                "nodes": [{"out": "a", "op": "aten.sum.default", "args": ["%x"]}],
                "outputs": ["%a"],
            }
            reply = system.run({"case": {"graph": graph, "feed": {"x": [1] * size}}}, Stages())
            self.assertEqual(values(reply["outputs"][0]), [size])

    @unittest.skipUnless(has("thunder"), "this Python has no thunder")
    def test_thunder(self) -> None:
        from adapters.torch import thunder

        system = thunder.make_system([])
        self.check(system, [])
        self.assertIn("aten.slice.Tensor", system.hello()["ops"])
        self.assertNotIn("aten.alias_copy.default", system.hello()["ops"])

    @unittest.skipUnless(has("torchax"), "this Python has no torchax")
    def test_torchax(self) -> None:
        from adapters.torch import torchax_xla

        self.check(torchax_xla.make_system([]), [])
        # Of the calls of the case, torchax has no neg_ where each is one of its own.
        case = {"graph": {**GRAPH, "nodes": GRAPH["nodes"][:2]}, "feed": {"x": [1, 2]}}
        for way in ("jit", "eager"):
            with self.subTest(way):
                reply = torchax_xla.make_system([f"--way={way}"]).run({"case": case}, Stages())
                self.assertEqual(values(reply["outputs"][0]), [60, 160])
                self.assertEqual(values(reply["buffers"]["c"]), [6, 8])
        ops = set(torchax_xla.make_system([]).hello()["ops"])
        self.assertLessEqual({"aten.add_.Tensor", "aten.__and__.Tensor", "aten.floor_divide_.Tensor"}, ops)
        self.assertNotIn("aten.append.t", ops)  # TorchScript's
        message = "AssertionError: prims.scalar_tensor.default\n\nWhile executing %scalar_tensor"
        self.assertTrue(any(re.search(one.pattern, message) for one in torchax_xla.REJECTIONS))

    @unittest.skipUnless(has("litert_torch"), "this Python has no litert-torch")
    def test_litert_torch(self) -> None:
        from adapters.torch.litert_converter import make_litert_torch

        for delegate, arguments in ((False, []), (False, ["--kernels=reference"]), (True, [])):
            with self.subTest(delegate=delegate, arguments=arguments):
                system = make_litert_torch("litert-torch", arguments, delegate, "litert-torch")
                self.check(system, [])
                reply = system.run({"case": CASE}, Stages())
                self.assertEqual(reply.get("delegated", 0) > 0, delegate)

    @unittest.skipUnless(has("executorch"), "this Python has no executorch")
    def test_lowered_to_vulkan_and_not_run(self) -> None:
        from adapters.executorch import vulkan

        system = vulkan.make([])
        self.assertIn("aten.relu_.default", system.hello()["delegates"]["ops"])
        graph = {**GRAPH, "nodes": [{**GRAPH["nodes"][1], "args": ["%x", "%w"]}], "buffers": {}}
        with self.assertRaises(NotRunError) as raised:
            system.run({"case": {"graph": graph, "feed": {"x": [1, 2]}}}, Stages())
        self.assertEqual(raised.exception.facts, {"delegated": 1, "format": "pte"})
        with tempfile.TemporaryDirectory() as folder:
            raised.exception.save(Path(folder) / "case.pte")
            self.assertEqual((Path(folder) / "case.pte").read_bytes()[4:6], b"ET")

    @unittest.skipUnless(has("executorch") and has("tosa_reference_model"), "this Python has no TOSA")
    def test_tosa(self) -> None:
        from adapters.executorch import tosa

        system = tosa.make([])
        graph = {**GRAPH, "nodes": [{**GRAPH["nodes"][1], "args": ["%x", "%w"]}], "buffers": {}}
        reply = system.run({"case": {"graph": graph, "feed": {"x": [1, 2]}}}, Stages())
        self.assertEqual((values(reply["outputs"][0]), reply["delegated"]), ([10, 40], 1))

    @unittest.skipUnless(has("coremltools"), "this Python has no coremltools")
    def test_converted_for_core_ml_and_not_run(self) -> None:
        from adapters.coreml import conversion

        graph = {**GRAPH, "nodes": [{**GRAPH["nodes"][1], "args": ["%x", "%w"]}], "buffers": {}}
        with self.assertRaises(NotRunError) as raised, tempfile.TemporaryDirectory() as folder:
            try:
                conversion.make_system([]).run({"case": {"graph": graph, "feed": {"x": [1, 2]}}}, Stages())
            except NotRunError as error:
                error.save(Path(folder) / "case.mlpackage")
                self.assertTrue((Path(folder) / "case.mlpackage" / "Manifest.json").exists())
                raise
        self.assertEqual(raised.exception.facts, {"format": "mlpackage"})

    @unittest.skipUnless(has("coremltools"), "this Python has no coremltools")
    def test_sizes_that_core_ml_comes_to_itself(self) -> None:
        from adapters.coreml import conversion

        node = {"out": "d", "op": "aten.diagonal.default", "args": ["%x"]}
        graph = {"inputs": {"x": {"type": "f32[2,3]"}}, "nodes": [node], "outputs": ["%d"]}
        case = {"graph": graph, "feed": {"x": [1, 2, 3, 4, 5, 6]}}
        with self.assertRaisesRegex(
            conversion.SizesError, r"output 0 has sizes \[2, 3\] in the program, \[2\] in PyTorch"
        ):
            conversion.make_system([]).run({"case": case}, Stages())


class GradientTest(unittest.TestCase):
    # v = 2x sin(x c) under in-place writes to x's copy and to the product.
    GRAPH: ClassVar[dict[str, Any]] = {
        "inputs": {"x": {"type": "f32[2]"}},
        "buffers": {"c": {"type": "f32[2]", "data": [1, 2]}},
        "nodes": [
            {"out": "y", "op": "aten.mul.Tensor", "args": ["%x", "%c"]},
            {"out": "z", "op": "aten.sin_.default", "args": ["%y"]},
            {"out": "w", "op": "aten.mul_.Tensor", "args": ["%x", 2.0]},
            {"out": "v", "op": "aten.mul.Tensor", "args": ["%w", "%z"]},
        ],
        "outputs": ["%v", "%c"],
    }
    # 2 sin(xc) + 2xc cos(xc), times the cotangent
    EXPECTED = (1.8364336390987788, 0.4620225223883814)

    def run_case(self, system: System, **more: object) -> dict[str, Any]:
        grad = {"wrt": ["x"], "cotangents": [[1, 3], None]}
        case = {"requires": ["grad"], "graph": self.GRAPH, "feed": {"x": [0.5, 1]}, "grad": grad}
        return system.run({"case": case, **more}, Stages())

    def test_in_the_dtype_of_the_case_and_in_f64(self) -> None:
        reply = self.run_case(eager.make_system([]))
        for member, places, dtype in (("grads", 5, "f32"), ("eager_grads", 5, "f32"), ("reference_grads", 14, "f64")):
            self.assertEqual(reply[member]["x"]["type"], f"{dtype}[2]")
            for got, wanted in zip(values(reply[member]["x"]), self.EXPECTED, strict=True):
                self.assertAlmostEqual(got, wanted, places=places)
        self.assertEqual(values(reply["inputs"]["x"]), [1, 2])

    def test_what_eager_has_no_gradient_of(self) -> None:
        graph = {**self.GRAPH, "buffers": {}, "outputs": ["%y"]}
        graph["nodes"] = [
            {"out": "y", "op": "aten.exp.default", "args": ["%x"]},
            {"out": "z", "op": "aten.add_.Scalar", "args": ["%y", 1]},
        ]
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, 1]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [[1, 1]]}
        with self.assertRaisesRegex(UnsupportedError, "eager itself has no gradient"):
            eager.make_system([]).run({"case": case}, Stages())

    def test_what_eager_has_no_gradient_of_all_at_once(self) -> None:
        graph = {**self.GRAPH, "buffers": {}, "outputs": ["%y", "%z"]}
        graph["nodes"] = [
            {"out": "y", "op": "aten.exp.default", "args": ["%x"]},
            {"out": "z", "op": "aten.heaviside.default", "args": ["%x", "%x"]},
        ]
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, 1]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [[1, 1], None]}
        with self.assertRaisesRegex(UnsupportedError, "eager itself has no gradient: derivative for aten::heaviside"):
            eager.make_system([]).run({"case": case}, Stages())

    def test_a_zeta_function_that_would_take_for_ever_is_refused(self) -> None:
        graph = {**self.GRAPH, "buffers": {}, "outputs": ["%y"]}
        graph["nodes"] = [{"out": "y", "op": "aten.polygamma.default", "args": [1, "%x"]}]
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, -(2.0**24) - 2]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [[1, 1]]}
        eager.make_system([]).run({"case": case}, Stages())  # an integer is a pole, found at once
        graph["inputs"] = {"x": {"type": "f64[2]"}}
        case["feed"]["x"][1] -= 0.5
        with self.assertRaisesRegex(UnsupportedError, "eager itself has no gradient: the zeta function"):
            eager.make_system([]).run({"case": case}, Stages())

    def test_a_cotangent_of_zero_times_nan_leaves_the_reference_open(self) -> None:
        graph = {**self.GRAPH, "buffers": {}, "outputs": ["%y", "%z"]}
        graph["nodes"] = [
            {"out": "y", "op": "aten.logit.default", "args": ["%x"]},  # NaN at 2, and so is its derivative
            {"out": "z", "op": "aten.mul.Scalar", "args": ["%x", 3.0]},
        ]
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, 2]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [None, [1, 1]]}
        reply = eager.make_system([]).run({"case": case}, Stages())
        for member in ("eager_grads", "reference_grads"):
            half, two = values(reply[member]["x"])
            self.assertEqual(half, 3)
            self.assertTrue(math.isnan(float(two)), two)

    def test_a_gradient_that_has_no_memory_is_zeros(self) -> None:
        graph = {**self.GRAPH, "buffers": {}, "outputs": ["%y"]}
        graph["nodes"] = [{"out": "y", "op": "aten.sgn.default", "args": ["%x"]}]
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, 1]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [[1, 1]]}
        reply = eager.make_system([]).run({"case": case}, Stages())
        self.assertEqual(values(reply["grads"]["x"]), [0, 0])

    def test_an_output_that_depends_on_nothing_gives_zeros(self) -> None:
        graph = {**self.GRAPH, "nodes": [], "outputs": ["%c"]}
        case = {"requires": ["grad"], "graph": graph, "feed": {"x": [0.5, 1]}}
        case["grad"] = {"wrt": ["x"], "cotangents": [[1, 1]]}
        reply = eager.make_system([]).run({"case": case}, Stages())
        self.assertEqual(values(reply["grads"]["x"]), [0, 0])

    def test_torch_compile(self) -> None:
        reply = self.run_case(compile_system("eager"))
        for got, wanted in zip(values(reply["grads"]["x"]), self.EXPECTED, strict=True):
            self.assertAlmostEqual(got, wanted, places=5)

    def test_what_is_no_gradient_case_for_it(self) -> None:
        with self.assertRaises(UnsupportedError):
            self.run_case(export.make_system([]))


if __name__ == "__main__":
    unittest.main()
