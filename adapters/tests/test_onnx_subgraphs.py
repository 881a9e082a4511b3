"""Branches and loops as If, Loop and Scan, run by ONNX's own reference. Skipped where there is no onnx."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import onnx.checker
from onnx.reference import ReferenceEvaluator

from adapters.onnx import session
from adapters.onnx.writer import MoreFunctions, Written, write
from adapters.worker.arrays import decode
from adapters.worker.system import Stages

Json = dict[str, Any]
VECTOR = {"type": "f32[2]"}
COUNT = {"type": "i64[]"}
CARRIED = {"i": COUNT, "u": VECTOR, "w": VECTOR, "n": COUNT}


def run(graph: Json, feed: Json, captures: bool = True) -> tuple[list[list[Any]], Json]:
    """The elements of the outputs, and those of the inputs afterwards."""

    def lower(given: Json, _: Stages) -> tuple[Written, session.Program]:
        written = write(given, more=MoreFunctions(captures=captures))
        model = written.graph.model()
        onnx.checker.check_model(model, full_check=True)
        evaluator = ReferenceEvaluator(model)
        names = [value.name for value in written.graph.inputs]
        program = session.Program(lambda: lambda arrays: evaluator.run(None, dict(zip(names, arrays, strict=True))))
        return written, program

    case = {"graph": {"constants": {}, "buffers": {}, **graph}, "feed": feed, "requires": ["subgraphs"]}
    reply = session.run_protocol({"case": case, "second_feed": None}, Stages(), lower)
    elements = [decode(one["data"], one["type"]).reshape(-1).tolist() for one in reply["outputs"]]
    return elements, {name: decode(one["data"], one["type"]).tolist() for name, one in reply["inputs"].items()}


def node(out: str, op: str, *args: object) -> Json:
    return {"out": out, "op": op, "args": list(args)}


def subgraph(inputs: Json, outputs: list[str], *nodes: Json) -> Json:
    return {"inputs": inputs, "nodes": list(nodes), "outputs": outputs}


def results(of: str, count: int) -> list[Json]:
    return [node(f"{of}{i}", "getitem", f"%{of}", i) for i in range(count)]


BRANCH: Json = {
    "inputs": {"p": {"type": "bool[1]"}, "x": VECTOR},
    "nodes": [
        node("v", "aten.alias.default", "%x"),
        node("y", "cond", "%p", {"graph": "then"}, {"graph": "else"}, ["%x"]),
        *results("y", 2),
    ],
    "outputs": ["%y0", "%y1", "%v"],
    "subgraphs": {
        "then": subgraph({"x": VECTOR}, ["%a", "%x"], node("a", "aten.mul_.Scalar", "%x", 10)),
        "else": subgraph({"x": VECTOR}, ["%a", "%a"], node("a", "aten.neg.default", "%x")),
    },
}

LOOP: Json = {
    "inputs": {"i": COUNT, "x": VECTOR, "w": VECTOR, "n": COUNT},
    "nodes": [
        node("y", "while_loop", {"graph": "less"}, {"graph": "step"}, ["%i", "%x"], ["%w", "%n"]),
        *results("y", 2),
    ],
    "outputs": ["%y0", "%y1"],
    "subgraphs": {
        "less": subgraph(CARRIED, ["%c"], node("c", "aten.lt.Tensor", "%i", "%n")),
        "step": subgraph(
            CARRIED,
            ["%k", "%s"],
            node("k", "aten.add.Scalar", "%i", 1),
            node("s", "aten.add.Tensor", "%u", "%w"),
            node("z", "aten.mul_.Scalar", "%w", 2),
        ),
    },
}  # fmt: skip

SCAN: Json = {
    "inputs": {"h": VECTOR, "x": {"type": "f32[3,2]"}, "w": VECTOR},
    "nodes": [
        node("y", "scan", {"graph": "step"}, ["%h"], ["%x"], ["%w"]),
        *results("y", 2),
    ],
    "outputs": ["%y0", "%y1"],
    "subgraphs": {
        "step": subgraph(
            {"c": VECTOR, "e": VECTOR, "k": VECTOR},
            ["%n", "%m"],
            node("n", "aten.add.Tensor", "%c", "%e"),
            node("m", "aten.mul.Tensor", "%e", "%k"),
        )
    },
}

MAP: Json = {
    "inputs": {"x": {"type": "f32[2,2]"}, "w": VECTOR, "p": {"type": "bool[]"}},
    "nodes": [node("y", "map", {"graph": "each"}, ["%x"], ["%w", "%p"]), *results("y", 1)],
    "outputs": ["%y0"],
    "subgraphs": {
        "each": subgraph(
            {"e": VECTOR, "w": VECTOR, "p": {"type": "bool[]"}},
            ["%b0"],
            node("b", "cond", "%p", {"graph": "sum"}, {"graph": "difference"}, ["%e", "%w"]),
            *results("b", 1),
        ),
        "sum": subgraph({"a": VECTOR, "b": VECTOR}, ["%s"], node("s", "aten.add.Tensor", "%a", "%b")),
        "difference": subgraph({"a": VECTOR, "b": VECTOR}, ["%s"], node("s", "aten.sub.Tensor", "%a", "%b")),
    },
}


class SubgraphsTest(unittest.TestCase):
    def test_a_write_in_one_branch_is_seen_around_it(self) -> None:
        outputs, after = run(BRANCH, {"p": [1], "x": [1, 2]})
        self.assertEqual((outputs, after["x"]), ([[10, 20], [10, 20], [10, 20]], [10, 20]))
        outputs, after = run(BRANCH, {"p": [0], "x": [1, 2]})
        self.assertEqual((outputs, after["x"]), ([[-1, -2], [-1, -2], [1, 2]], [1, 2]))

    def test_a_loop_takes_no_step_one_and_several(self) -> None:
        for steps, total, weight in ((0, [0, 0], [1, 2]), (1, [1, 2], [2, 4]), (3, [7, 14], [8, 16])):
            outputs, after = run(LOOP, {"i": [0], "x": [0, 0], "w": [1, 2], "n": [steps]})
            self.assertEqual((outputs, after["w"]), ([[steps], total], weight))

    def test_a_condition_writes_each_time_that_it_is_asked(self) -> None:
        write_first = node("v", "aten.add_.Scalar", "%w", 1)
        less = subgraph(CARRIED, ["%c"], write_first, node("c", "aten.lt.Tensor", "%i", "%n"))
        step = subgraph(CARRIED, ["%k", "%s"], *LOOP["subgraphs"]["step"]["nodes"][:2])
        counted = {**LOOP, "subgraphs": {"less": less, "step": step}}
        for steps, total, weight in ((0, [0, 0], [2, 3]), (1, [2, 3], [3, 4]), (2, [5, 7], [4, 5])):
            outputs, after = run(counted, {"i": [0], "x": [0, 0], "w": [1, 2], "n": [steps]})
            self.assertEqual((outputs, after["w"]), ([[steps], total], weight))

    def test_a_scan_stacks_and_carries(self) -> None:
        feed = {"h": [1, 1], "x": [1, 2, 3, 4, 5, 6], "w": [10, 100]}
        for captures in (True, False):
            outputs, after = run(SCAN, feed, captures)
            self.assertEqual(outputs, [[10, 13], [10, 200, 30, 400, 50, 600]])
            self.assertEqual(after["w"], [10, 100])

    def test_a_body_reads_closures_around_it_where_the_consumer_finds_them(self) -> None:
        for captures, operands in ((True, 2), (False, 3)):
            nodes = write({"constants": {}, "buffers": {}, **SCAN}, more=MoreFunctions(captures=captures)).graph.nodes
            self.assertEqual([len(given) for kind, given, *_ in nodes if kind == "Scan"], [operands])

    def test_a_branch_in_a_map(self) -> None:
        feed = {"x": [1, 2, 3, 4], "w": [1, 1]}
        self.assertEqual(run(MAP, {**feed, "p": [1]})[0], [[2, 3, 4, 5]])
        self.assertEqual(run(MAP, {**feed, "p": [0]})[0], [[0, 1, 2, 3]])

    def test_no_name_of_a_model_comes_twice(self) -> None:
        graph = write({"constants": {}, "buffers": {}, **LOOP}).graph
        names = [value.name for one in (graph, *graph.subgraphs) for value in (*one.inputs, *one.made)]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
