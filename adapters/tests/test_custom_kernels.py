"""Custom operations in ExecuTorch's runtime: their kernels give what the references say. Skipped without ExecuTorch,
and without a compiler."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

for _package in ("torch", "executorch"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

from adapters.executorch.custom_kernels import Kernels, can_build
from adapters.tests.test_custom_ops import ADD, MULTIPLY, PAIR
from adapters.tests.test_custom_ops import case as on_a_view
from adapters.torch import custom_ops
from adapters.torch.case_module import case_module

SUM = {"out": "v", "op": "aten.add.Tensor", "args": ["%x", "%x"]}


def case(nodes: list[Any], returned: list[str | None], schema: str, read: list[int]) -> dict[str, Any]:
    """A call of an operation on 2 * x, as no kernel takes a view, which returns its results and what that becomes."""
    made = on_a_view(nodes, returned, schema, read)
    calls = made["nodes"][1:-1]
    outputs = [*made["outputs"][:-1], "%v"]
    return {**made, "inputs": {"x": PAIR, "y": PAIR}, "nodes": [SUM, *calls], "outputs": outputs}


def run(graph: dict[str, Any]) -> list[list[float]]:
    inputs = (torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]))
    with torch.no_grad():
        exported = torch.export.export(case_module(graph), inputs, strict=False)
        lowered = to_edge_transform_and_lower(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    blob = lowered.to_executorch().buffer
    return [output.tolist() for output in _load_for_executorch_from_buffer(blob).run_method("forward", inputs)]


@unittest.skipUnless(can_build(), "no compiler is here")
class CustomKernelsTest(unittest.TestCase):
    def setUp(self) -> None:
        custom_ops.register_by(Kernels())
        self.addCleanup(custom_ops.register_by, custom_ops.Registration())

    def test_a_kernel_gives_what_the_reference_says(self) -> None:
        was, wrote = [2.0, 4.0], [12.0, 24.0]
        rows: list[tuple[dict[str, Any], list[list[float]]]] = [
            (case([ADD], [], "(Tensor(a!) a, Tensor b) -> ()", []), [wrote]),
            (case([MULTIPLY], ["%d"], "(Tensor a, Tensor b) -> Tensor", [0]), [[20.0, 80.0], was]),
            (case([ADD, MULTIPLY], ["%d"], "(Tensor(a!) a, Tensor b) -> Tensor", [0]), [[120.0, 480.0], wrote]),
            (
                case(
                    [MULTIPLY, {"out": "e", "op": "aten.neg.default", "args": ["%b"]}],
                    ["%d", "%e"],
                    "(Tensor a, Tensor b) -> (Tensor, Tensor)",
                    [0, 1],
                ),
                [[20.0, 80.0], [-10.0, -20.0], was],
            ),
            (case([MULTIPLY], [None, "%d"], "(Tensor a, Tensor b) -> (Tensor?, Tensor)", [1]), [[20.0, 80.0], was]),
        ]
        for graph, expected in rows:
            with self.subTest(schema=graph["nodes"][1]["schema"]):
                self.assertEqual(run(graph), expected)

    def test_a_reference_that_raises_ends_the_run(self) -> None:
        graph = case([MULTIPLY], ["%d"], "(Tensor a, Tensor b) -> Tensor", [0])
        graph["subgraphs"]["step"]["name"] = "another one"  # so that it is not registered yet

        def raises(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor]:
            if type(a) is torch.Tensor:
                raise ValueError("as asked")
            return (a * b,)

        custom_ops.register(graph, graph["nodes"][1], raises)
        with self.assertRaises(RuntimeError):
            run(graph)


if __name__ == "__main__":
    unittest.main()
