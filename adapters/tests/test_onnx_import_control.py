"""If, Loop and Scan of ONNX models as branches and loops of a case: what they mean stays. Skipped without onnx."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx.parser
from onnx.reference import ReferenceEvaluator

from adapters.importing import onnx_model
from adapters.onnx.writer import write

HEADER = '<ir_version: 9, opset_import: ["" : 20]>'
Json = dict[str, Any]


def case_of(text: str) -> Json:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        onnx.save(onnx.parser.parse_model(f"{HEADER} {text}"), path)
        return onnx_model.read_case(path, [], 1)


def ops(case: Json) -> list[str]:
    return [node["op"] for node in case["graph"]["nodes"] if "." not in node["op"] and node["op"] != "getitem"]


class ControlTest(unittest.TestCase):
    def check(self, text: str, expected: list[str], **feed: Any) -> Json:
        """The case has these calls of subgraphs, and means for this feed what the model does."""
        case = case_of(text)
        self.assertEqual(ops(case), expected)
        wanted = ReferenceEvaluator(onnx.parser.parse_model(f"{HEADER} {text}")).run(None, feed)
        model = write(case["graph"]).graph
        given = {value.name: feed[value.name] for value in model.inputs}
        got = ReferenceEvaluator(model.model()).run(None, given)
        for one, other in zip(wanted, got, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-6)
        return case

    def test_a_branch_that_is_computed_is_a_cond(self) -> None:
        text = """g (bool p, float[3] x, float[3] w) => (float[3] y, float[3] z) <float[3] k = {1, 2, 3}> {
            y, z = If(p) <then_branch = t () => (float[3] a, float[3] b) { a = Add(x, k) b = Mul(x, w) },
                          else_branch = e () => (float[3] c, float[3] d) { c = Neg(x) d = Identity(k) }> }"""
        for p in (True, False):
            x = np.array([1, -2, 3], np.float32)
            case = self.check(text, ["cond"], p=np.array(p), x=x, w=x * 10)
        self.assertEqual(case["requires"], ["subgraphs"])

    def test_branches_of_unlike_sizes_are_refused(self) -> None:
        text = """g (bool p, float[3] x) => (float[n] y) {
            y = If(p) <then_branch = t () => (float[3] a) { a = Neg(x) },
                       else_branch = e () => (float[6] b) { b = Concat<axis = 0>(x, x) }> }"""
        with self.assertRaisesRegex(onnx_model.NoCounterpartError, r"node 'y' \(If, version 19\) .*different types"):
            case_of(text)

    def test_a_loop_of_a_computed_count_is_a_while_loop(self) -> None:
        text = """g (int64 n, float[3] x, float[3] w) => (float[3] y) <bool c = {1}, float h = {40}> {
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[3] v) => (bool co, float[3] u) {
                s = ReduceSum<keepdims = 0>(v) co = Less(s, h) f = Cast<to = 1>(i) q = Add(v, w) u = Add(q, f) }> }"""
        x = np.array([1, 2, 3], np.float32)
        for n in (0, 1, 3, 50):
            self.check(text, ["while_loop"], n=np.array(n), x=x, w=x)

    def test_a_condition_that_a_body_computes_is_a_while_loop(self) -> None:
        text = """g (float[1] x) => (float[1] y)
            <int64 n = {9223372036854775807}, bool c = {1}, float[1] h = {10}, int64[1] s = {1}> {
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[1] v) => (bool co, float[1] u) {
                u = Add(v, v) l = Less(u, h) co = Squeeze(l) }> }"""
        self.check(text, ["while_loop"], x=np.array([1], np.float32))

    def test_many_turns_are_a_scan_and_few_are_unrolled(self) -> None:
        text = """g (float[3] x, float[3] w) => (float[3] y, float[20,3] z) <int64 n = {20}, bool c = {1}> {
            y, z = Loop(n, c, x) <body = b (int64 i, bool ci, float[3] v) => (bool co, float[3] u, float[3] o) {
                co = Identity(ci) f = Cast<to = 1>(i) u = Add(v, w) o = Mul(u, f) }> }"""
        x = np.array([1, 2, 3], np.float32)
        self.check(text, ["scan"], x=x, w=x)
        self.check(text.replace("20", "3"), [], x=x, w=x)

    def test_what_a_loop_was_tried_as_leaves_nothing(self) -> None:
        # Its state grows, so that it is no scan after all.
        text = """g (float[1] x) => (float[n] y) <int64 n = {20}, bool c = {1}> {
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[k] v) => (bool co, float[m] u) {
                co = Identity(ci) u = Concat<axis = 0>(v, x) }> }"""
        case = self.check(text, [], x=np.array([1], np.float32))
        self.assertNotIn("subgraphs", case["graph"])
        self.assertNotIn("requires", case)

    def test_a_scan_along_other_axes_and_backwards(self) -> None:
        text = """g (float[3] s, float[3,20] x) => (float[3] y, float[3,20] z) {
            y, z = Scan<num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
                        scan_output_axes = [1], scan_output_directions = [1],
                        body = b (float[3] a, float[3] e) => (float[3] n, float[3] o) {
                            n = Add(a, e) o = Sub(a, e) }>(s, x) }"""
        case = case_of(text)
        self.assertEqual(ops(case), ["scan"])
        x = np.arange(60, dtype=np.float32).reshape(3, 20)
        y, z = ReferenceEvaluator(write(case["graph"]).graph.model()).run(None, {"s": np.zeros(3, np.float32), "x": x})
        sums = np.cumsum(x[:, ::-1], axis=1)
        before = np.concatenate([np.zeros([3, 1], np.float32), sums[:, :-1]], axis=1)
        np.testing.assert_allclose(y, sums[:, -1])
        np.testing.assert_allclose(z, (before - x[:, ::-1])[:, ::-1])

    def test_a_branch_in_a_loop_reads_what_is_around_both(self) -> None:
        text = """g (int64 n, bool p, float[2] x, float[2] w) => (float[2] y) <bool c = {1}> {
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[2] v) => (bool co, float[2] u) {
                co = Identity(ci)
                u = If(p) <then_branch = t () => (float[2] a) { a = Add(v, w) },
                           else_branch = e () => (float[2] d) { d = Mul(v, w) }> }> }"""
        x = np.array([1, 2], np.float32)
        for p in (True, False):
            self.check(text, ["while_loop"], n=np.array(3), p=np.array(p), x=x, w=x + 1)


if __name__ == "__main__":
    unittest.main()
