"""Cases with symbols as one ONNX model, computed by ONNX's own reference. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx.checker
from onnx.reference import ReferenceEvaluator

from adapters.onnx import session
from adapters.onnx.dynamic_model import write_dynamic
from adapters.onnx.writer import Written
from adapters.worker.arrays import decode
from adapters.worker.case_symbols import program_graph
from adapters.worker.system import Stages, UnsupportedError

Json = dict[str, Any]


def reference(graph: Json, _: Stages) -> tuple[Written, session.Program]:
    written = write_dynamic(graph, graph["run_sizes"])
    model = written.graph.model()
    onnx.checker.check_model(model)
    evaluator = ReferenceEvaluator(model)
    names = [value.name for value in written.graph.inputs]
    return written, session.Program(lambda: lambda arrays: evaluator.run(None, dict(zip(names, arrays, strict=True))))


def node(out: str, op: str, *args: object) -> Json:
    return {"out": out, "op": f"aten.{op}", "args": list(args)}


def case_of(nodes: list[Json], outputs: list[str], sizes: list[tuple[int, int]]) -> Json:
    def feed(b: int, s: int) -> Json:
        return {
            "x": {"type": f"f32[{b},{s}]", "data": list(range(b * s))},
            "y": {"type": f"f32[{2 * b + 1}]", "data": list(range(2 * b + 1))},
        }

    return {
        "requires": ["runs", "symbols"],
        "symbols": {"B": [1, 4], "S": [1, 5]},
        "graph": {
            "inputs": {"x": {"type": "f32[B,S]"}, "y": {"type": "f32[2*B+1]"}},
            "constants": {},
            "buffers": {},
            "nodes": nodes,
            "outputs": outputs,
        },
        "runs": [{"feed": feed(b, s)} for b, s in sizes],
    }


def run(case: Json) -> list[Json]:
    reply = session.run_protocol({"case": case}, Stages(), reference)
    return [reply, *reply["later"]]


def numbers(run: Json, output: int) -> list[Any]:
    entry = run["outputs"][output]
    return decode(entry["data"], entry["type"]).reshape(-1).tolist()


class DynamicModelTest(unittest.TestCase):
    def test_sizes_that_are_spelled_out_follow_the_inputs(self) -> None:
        nodes = [
            node("m", "mean.dim", "%x", [1]),  # divided by S
            node("f", "view.default", "%x", [-1]),  # a product
            node("g", "view.default", "%x", ["$S", "$B"]),
            node("s", "slice.Tensor", "%y", 0, 1, "$2*B"),
            node("z", "mul.Scalar", "%y", "$B"),  # a size as a value
        ]
        runs = run(case_of(nodes, ["%m", "%f", "%g", "%s", "%z"], [(4, 2), (1, 1), (2, 5)]))
        self.assertEqual([one["outputs"][2]["type"] for one in runs], ["f32[2,4]", "f32[1,1]", "f32[5,2]"])
        self.assertEqual(numbers(runs[2], 0), [2, 7])
        self.assertEqual(numbers(runs[2], 1), list(range(10)))
        self.assertEqual([numbers(one, 3) for one in runs], [list(range(1, 8)), [1], [1, 2, 3]])
        self.assertEqual(numbers(runs[2], 4), [0, 2, 4, 6, 8])

    def test_places_of_a_view_follow_the_inputs(self) -> None:
        nodes = [
            node("f", "mul.Scalar", "%x", 2),
            node("v", "as_strided.default", "%f", ["$B", 1], ["$S", 1], 0),  # the first of each row
        ]
        runs = run(case_of(nodes, ["%v"], [(4, 2), (2, 5), (3, 3)]))
        self.assertEqual([numbers(one, 0) for one in runs], [[0, 4, 8, 12], [0, 10], [0, 6, 12]])

    def test_places_along_a_diagonal_have_a_step_of_their_own_at_each_size(self) -> None:
        nodes = [node("f", "diag_embed.default", "%y"), node("d", "diagonal.default", "%f")]
        runs = run(case_of(nodes, ["%f", "%d"], [(4, 1), (2, 1)]))
        self.assertEqual(numbers(runs[1], 1), [0, 1, 2, 3, 4])
        self.assertEqual([i for i, number in enumerate(numbers(runs[1], 0)) if number], [6, 12, 18, 24])

    def test_the_end_of_a_slice_is_the_size_at_most(self) -> None:
        nodes = [node("f", "neg.default", "%y"), node("s", "slice.Tensor", "%f", 0, 0, 6)]
        runs = run(case_of(nodes, ["%s"], [(4, 2), (1, 2), (2, 2), (3, 1)]))
        self.assertEqual([len(numbers(one, 0)) for one in runs], [6, 3, 5, 6])

    def test_a_size_that_another_run_has_not_is_not_stated(self) -> None:
        nodes = [node("s", "slice.Tensor", "%x", 0, 0, 2), node("w", "neg_.default", "%s")]  # at B=1 all of x
        written: list[Written] = []

        def lower(graph: Json, stages: Stages) -> tuple[Written, session.Program]:
            made, program = reference(graph, stages)
            written.append(made)
            return made, program

        case = case_of(nodes, ["%w"], [(4, 2), (1, 2)])
        reply = session.run_protocol({"case": case}, Stages(), lower)
        self.assertEqual([one["outputs"][0]["type"] for one in (reply, *reply["later"])], ["f32[2,2]", "f32[1,2]"])
        dims = written[0].graph.dims[written[0].outputs[0]]
        self.assertIsInstance(dims[0], str)

    def test_a_diagonal_is_as_long_as_the_shorter_dim(self) -> None:
        nodes = [node("f", "mul.Scalar", "%x", 1), node("d", "diagonal.default", "%f")]
        runs = run(case_of(nodes, ["%d"], [(4, 2), (1, 5), (3, 3)]))
        self.assertEqual([numbers(one, 0) for one in runs], [[0, 3], [0], [0, 4, 8]])

    def test_every_second_element_is_half_of_them(self) -> None:
        nodes = [node("f", "mul.Scalar", "%x", 1), node("u", "unfold.default", "%f", 0, 1, 2)]
        runs = run(case_of(nodes, ["%u"], [(4, 1), (1, 1), (3, 1)]))
        self.assertEqual([numbers(one, 0) for one in runs], [[0, 2], [0], [0, 2]])

    def test_a_write_to_no_elements_may_be_left_out(self) -> None:
        nodes = [
            node("f", "mul.Scalar", "%x", 2),
            node("s", "slice.Tensor", "%f", 0, 1, 9),  # of no rows where B is 1
            node("w", "neg_.default", "%s"),
        ]
        runs = run(case_of(nodes, ["%f"], [(2, 2), (1, 3)]))
        self.assertEqual([numbers(one, 0) for one in runs], [[0, 2, -4, -6], [0, 2, 4]])

    def test_a_product_is_one_of_a_range_of_two_sizes_too(self) -> None:
        nodes = [node("f", "diag_embed.default", "%y"), node("v", "view.default", "%f", [-1])]
        case = case_of(nodes, ["%v"], [(2, 1), (1, 1)]) | {"symbols": {"B": [1, 2], "S": [1, 1]}}
        written = write_dynamic(program_graph(case), [{"B": 2}, {"B": 1}])
        inputs = {"x": np.zeros((3, 1), np.float32), "y": np.ones(7, np.float32)}
        (found,) = ReferenceEvaluator(written.graph.model()).run(None, inputs)
        self.assertEqual((found.shape, found.sum()), ((49,), 7))

    def test_a_reshape_infers_the_one_size_that_changes(self) -> None:
        graph = program_graph(case_of([node("v", "view.default", "%y", [-1, 1])], ["%v"], [(4, 2)]))
        written = write_dynamic(graph, [{"B": 4, "S": 2}])
        self.assertEqual([kind for kind, *_ in written.graph.nodes if kind != "Identity"], ["Reshape"])
        self.assertIn([-1, 1], [one.tolist() for one in written.graph.initializers.values()])

    def test_the_model_names_its_dims(self) -> None:
        graph = program_graph(case_of([node("a", "neg.default", "%y")], ["%a"], [(4, 2)]))
        written = write_dynamic(graph, [{"B": 4, "S": 2}])
        self.assertEqual(written.graph.dims["x"], ("B", "S"))
        self.assertEqual(written.graph.dims["y"], ("2*B+1",))

    def test_another_model_at_a_size_is_refused(self) -> None:
        nodes = [node("a", "squeeze.dim", "%x", 0)]  # a dim less at B=1 alone
        with self.assertRaisesRegex(UnsupportedError, "the model is another one at B=1, S=2"):
            run(case_of(nodes, ["%a"], [(4, 2), (1, 2)]))
        self.assertEqual(len(run(case_of(nodes, ["%a"], [(4, 2), (3, 2)]))), 2)


if __name__ == "__main__":
    unittest.main()
