"""The few lines for an ONNX runtime: run by ONNX's own reference. Skipped where there is no onnx."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import unittest
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np

from adapters.onnx.brief_script import brief_script
from adapters.worker.system import UnsupportedError

Json = dict[str, Any]


def request(nodes: list[Json], outputs: list[str], expected: list[Json] | None, **more: Json) -> Json:
    graph = {"inputs": {"x": {"type": "f32[2]"}}, "constants": {}, "buffers": {}, "nodes": nodes, "outputs": outputs}
    case = {"graph": {**graph, **more.pop("graph", {})}, "feed": {"x": [1.5, -2]}, **more}
    return {"case": case, "runtime": "reference", "expected": expected, "rtol": 1.3e-6, "atol": 1e-5}


def node(out: str, op: str, *args: object) -> Json:
    return {"out": out, "op": f"aten.{op}", "args": list(args)}


def shows(script: str) -> bool:
    """Whether it ends in an assertion, as a script that Python runs would."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "bug.py", "exec"), {})
    except AssertionError:
        return True
    return False


class BriefScriptTest(unittest.TestCase):
    nodes = (node("a", "neg.default", "%x"), node("b", "mul.Scalar", "%a", 0.1))

    def script(self, *wanted: float) -> str:
        return brief_script(request([*self.nodes], ["%b"], [{"type": "f32[2]", "data": list(wanted)}]))

    def test_exits_with_an_assertion_where_it_shows(self) -> None:
        self.assertFalse(shows(self.script(-0.15, 0.2)))
        self.assertTrue(shows(self.script(-0.15, 0.3)))

    def test_is_short_and_has_model_inputs_expected_and_actual(self) -> None:
        text = self.script(-0.15, 0.2)
        for part in ("parse_model(", "Neg (x)", "inputs = {", "expected = {", "actual = ReferenceEvaluator("):
            self.assertIn(part, text)
        self.assertNotIn("adapters", text)
        self.assertLess(len([line for line in text.splitlines() if line]), 30)

    def test_an_input_that_is_handed_back_is_fed(self) -> None:
        text = brief_script(request([], ["%x"], [{"type": "f32[2]", "data": [1.5, -2]}]))
        self.assertFalse(shows(text))

    def test_a_constant_that_is_handed_back_is_in_the_model(self) -> None:
        graph = {"constants": {"c": {"type": "f32[2]", "data": [1.5, -2]}}}
        text = brief_script(request([], ["%c"], [{"type": "f32[2]", "data": [1.5, -2]}], graph=graph))
        self.assertFalse(shows(text))

    def test_what_is_written_to_an_input_comes_after_the_results(self) -> None:
        write = [node("a", "neg_.default", "%x"), node("b", "mul.Scalar", "%x", 2)]
        for wanted, wrong in (([-3, 4], False), ([-3, 5], True)):
            text = brief_script(request(write, ["%b"], [{"type": "f32[2]", "data": wanted}]))
            self.assertIn("Further outputs hold what the program writes", text)
            self.assertEqual(shows(text), wrong)

    def test_a_wrong_size_shows_too(self) -> None:
        text = brief_script(request([*self.nodes], ["%b"], [{"type": "f32[1]", "data": [0.2]}]))
        self.assertTrue(shows(text))

    def test_special_numbers_are_fed_as_they_are(self) -> None:
        asked = request([*self.nodes], ["%b"], [{"type": "f32[2]", "data": ["nan", "-inf"]}])
        asked["case"]["feed"] = {"x": ["nan", "inf"]}
        self.assertFalse(shows(brief_script(asked)))

    def test_a_number_is_the_same_bit_for_bit(self) -> None:
        third = float(np.float32(1) / np.float32(3))
        asked = request([node("a", "neg.default", "%x")], ["%a"], [{"type": "f32[2]", "data": [-third, -1e-42]}])
        asked["case"]["feed"] = {"x": [third, 1e-42]}
        text = brief_script({**asked, "rtol": 0, "atol": 0})
        self.assertFalse(shows(text))

    def test_is_refused_where_one_run_does_not_show_it(self) -> None:
        with self.assertRaises(UnsupportedError):
            brief_script(request([*self.nodes], ["%b"], None, runs=[{"feed": {"x": [1, 2]}}]))

    def test_is_refused_where_it_would_be_long(self) -> None:
        many = [node(f"n{i}", "neg.default", f"%n{i - 1}" if i else "%x") for i in range(20)]
        with self.assertRaises(UnsupportedError):
            brief_script(request(many, ["%n19"], None))


if __name__ == "__main__":
    unittest.main()
