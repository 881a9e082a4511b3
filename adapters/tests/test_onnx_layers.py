"""Recurrent layers and embedding bags as ONNX operators, against PyTorch's formulas. Skipped where there is no onnx.

ONNX's own reference does not know every activation and direction: recurrent layers are imported again, step by step.
"""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from typing import Any

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import numpy as np
import onnx.checker
from onnx.reference import ReferenceEvaluator

from adapters.importing.onnx_model import import_model
from adapters.onnx.writer import write
from adapters.worker.system import UnsupportedError

Json = dict[str, Any]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def cell(kind: str, x: np.ndarray, h: np.ndarray, c: np.ndarray, p: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """One step as PyTorch's documentation has it: weights p[0], p[1], biases p[2], p[3]."""
    own, past = x @ p[0].T + p[2], h @ p[1].T + p[3]
    if kind == "lstm":
        i, f, g, o = np.split(own + past, 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    if kind == "gru":
        (r, z, n), (rh, zh, nh) = np.split(own, 3, axis=-1), np.split(past, 3, axis=-1)
        z, n = sigmoid(z + zh), np.tanh(n + sigmoid(r + rh) * nh)
        return (1 - z) * n + z * h, c
    return (np.tanh if kind == "rnn_tanh" else lambda v: np.maximum(v, 0))(own + past), c


def layers(
    kind: str, x: np.ndarray, h: np.ndarray, c: np.ndarray, params: list[list[np.ndarray]], directions: int
) -> list[np.ndarray]:
    hs, cs = [], []
    for layer in range(len(params) // directions):
        sides = []
        for d in range(directions):
            k = layer * directions + d
            state, memory, made = h[k], c[k], {}
            for t in reversed(range(len(x))) if d else range(len(x)):
                state, memory = cell(kind, x[t], state, memory, params[k])
                made[t] = state
            sides.append(np.stack([made[t] for t in range(len(x))]))
            hs.append(state)
            cs.append(memory)
        x = np.concatenate(sides, axis=-1)
    return [x, np.stack(hs), *([np.stack(cs)] if kind == "lstm" else [])]


def run(graph: Json, feed: dict[str, np.ndarray], step_by_step: bool = False) -> list[np.ndarray]:
    model = write({"constants": {}, "buffers": {}, **graph}).graph.model()
    onnx.checker.check_model(model, full_check=True)
    if step_by_step:
        case = import_model(model, Path()).case("steps", {})
        model = write(case["graph"]).graph.model()
    return ReferenceEvaluator(model).run(None, feed)


class RecurrentTest(unittest.TestCase):
    def test_layers_in_both_directions(self) -> None:
        numbers = np.random.default_rng(1)

        def drawn(*sizes: int) -> np.ndarray:
            return numbers.normal(size=sizes).astype(np.float32)

        steps, batch, inputs, hidden, count = 3, 2, 4, 5, 2
        for kind, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
            for directions, batch_first in ((1, False), (2, False), (1, True)):
                x, h = drawn(steps, batch, inputs), drawn(count * directions, batch, hidden)
                c = drawn(count * directions, batch, hidden)
                params = []
                for k in range(count * directions):
                    width = inputs if k < directions else directions * hidden
                    rows = gates * hidden
                    params.append([drawn(rows, width), drawn(rows, hidden), drawn(rows), drawn(rows)])
                wanted = layers(kind, x, h, c, params, directions)
                given = {"x": x.swapaxes(0, 1) if batch_first else x, "h": h}
                given |= {"c": c} if kind == "lstm" else {}
                given |= {f"p{i}": one for i, one in enumerate(one for some in params for one in some)}
                states = ["%h", "%c"] if kind == "lstm" else "%h"
                names = [f"%p{i}" for i in range(4 * len(params))]
                args = ["%x", states, names, True, count, 0.0, False, directions == 2, batch_first]
                nodes = [{"out": "y", "op": f"aten.{kind}.input", "args": args}]
                nodes += [{"out": f"y{i}", "op": "getitem", "args": ["%y", i]} for i in range(len(wanted))]
                types = {name: {"type": f"f32[{','.join(map(str, one.shape))}]"} for name, one in given.items()}
                outputs = [f"%y{i}" for i in range(len(wanted))]
                found = run({"inputs": types, "nodes": nodes, "outputs": outputs}, given, step_by_step=True)
                wanted[0] = wanted[0].swapaxes(0, 1) if batch_first else wanted[0]
                for one, other in zip(found, wanted, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


class BagTest(unittest.TestCase):
    def graph(self, mode: int, last: bool, padding: int | None, outputs: list[str]) -> Json:
        args = ["%w", "%i", "%o", False, mode, False, None, last, padding]
        nodes = [{"out": "b", "op": "aten.embedding_bag.padding_idx", "args": args}]
        nodes += [{"out": f"b{i}", "op": "getitem", "args": ["%b", i]} for i in range(2)]
        types = {"w": {"type": "f32[4,2]"}, "i": {"type": "i64[5]"}, "o": {"type": "i64[3]"}}
        return {"inputs": types, "nodes": nodes, "outputs": outputs}

    def test_bags(self) -> None:
        w = np.array([[1, 10], [2, 20], [3, 30], [-4, -40]], np.float32)
        feed = {"w": w, "i": np.array([0, 1, 3, 2, 2]), "o": np.array([0, 3, 3])}
        rows = {
            (0, False, None): [[-1, -10], [0, 0], [6, 60]],
            (1, False, None): [[-1 / 3, -10 / 3], [0, 0], [3, 30]],
            (2, False, None): [[2, 20], [0, 0], [3, 30]],
            (0, True, None): [[-1, -10], [0, 0]],
            (1, False, 3): [[1.5, 15], [0, 0], [3, 30]],
        }
        for (mode, last, padding), wanted in rows.items():
            (found,) = run(self.graph(mode, last, padding, ["%b0"]), feed)
            np.testing.assert_allclose(found, wanted, rtol=1e-6)

    def test_what_gradients_need_is_not_written(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "only gradients need"):
            run(self.graph(0, False, None, ["%b1"]), {})


if __name__ == "__main__":
    unittest.main()
