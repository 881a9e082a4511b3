"""Custom operations with PyTorch itself: registered from a case, they give what the reference says. Skipped without
torch."""

from __future__ import annotations

import importlib.util
import unittest
from typing import Any

if importlib.util.find_spec("torch") is None:
    raise unittest.SkipTest("this Python has no torch")

import torch

from adapters.torch import custom_ops
from adapters.torch.case_module import case_module
from adapters.torch.control_flow import DIRECT

PAIR = {"type": "f32[2]"}
ADD = {"out": "c", "op": "aten.add_.Tensor", "args": ["%a", "%b"]}
MULTIPLY = {"out": "d", "op": "aten.mul.Tensor", "args": ["%a", "%b"]}


def case(nodes: list[Any], returned: list[str | None], schema: str, read: list[int]) -> dict[str, Any]:
    """A call of an operation on a view of x and on y, which returns its results and what x has become."""
    places = [{"out": f"r{place}", "op": "getitem", "args": ["%r", place]} for place in read]
    call = {"out": "r", "op": "custom", "args": [{"graph": "step"}, ["%v", "%y"]], "schema": schema}
    return {
        "inputs": {"x": {"type": "f32[3]"}, "y": PAIR},
        "nodes": [
            {"out": "v", "op": "aten.slice.Tensor", "args": ["%x", 0, 1, 3]},
            call,
            *places,
            {"out": "z", "op": "aten.clone.default", "args": ["%x"]},
        ],
        "outputs": [*(f"%r{place}" for place in read), "%z"],
        "subgraphs": {"step": {"inputs": {"a": PAIR, "b": PAIR}, "nodes": nodes, "outputs": returned}},
    }


NOTHING = case([ADD], [], "(Tensor(a!) a, Tensor b) -> ()", [])
ONE = case([ADD, MULTIPLY], ["%d"], "(Tensor(a!) a, Tensor b) -> Tensor", [0])
NONE = case([MULTIPLY], [None, "%d"], "(Tensor a, Tensor b) -> (Tensor?, Tensor)", [1])
OPERAND = case([ADD, MULTIPLY], ["%c", "%d"], "(Tensor(a!) a, Tensor b) -> (Tensor(a!), Tensor)", [0, 1])
NESTED: dict[str, Any] = case([ADD], [], "(Tensor(a!) a, Tensor b) -> ()", [])
NESTED["subgraphs"]["inner"] = {"inputs": {"a": PAIR, "b": PAIR}, "nodes": [ADD], "outputs": []}
NESTED["subgraphs"]["step"]["nodes"] = [
    {"out": "n", "op": "custom", "args": [{"graph": "inner"}, ["%a", "%b"]], "schema": "(Tensor(a!) a, Tensor b) -> ()"}
]


def run(graph: dict[str, Any], how: str) -> list[list[float]]:
    inputs = (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0]))
    with torch.no_grad():
        if how == "eager":
            called: Any = case_module(graph, control=DIRECT)
        elif how == "export":
            called = torch.export.export(case_module(graph), inputs, strict=False).run_decompositions().module()
        else:
            torch._dynamo.reset()
            called = torch.compile(case_module(graph), backend=how, fullgraph=True)
        return [output.tolist() for output in called(*inputs)]


class CustomOpsTest(unittest.TestCase):
    def test_an_operation_means_its_reference(self) -> None:
        wrote = [1.0, 12.0, 23.0]
        rows: list[tuple[dict[str, Any], list[list[float]]]] = [
            (NOTHING, [wrote]),
            (ONE, [[120.0, 460.0], wrote]),
            (NONE, [[20.0, 60.0], [1.0, 2.0, 3.0]]),
            (OPERAND, [[12.0, 23.0], [120.0, 460.0], wrote]),
            (NESTED, [wrote]),
        ]
        for graph, expected in rows:
            for how in ("eager", "export", "aot_eager"):
                with self.subTest(schema=graph["nodes"][1]["schema"], how=how):
                    self.assertEqual(run(graph, how), expected)

    def test_a_program_with_an_operation_returns_its_tensors_and_not_clones_of_them(self) -> None:
        x, y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0])
        whole, part = case_module({**NOTHING, "outputs": ["%x", "%v"]})(x, y)
        self.assertIs(whole, x)
        self.assertEqual((part.data_ptr(), part.stride()), (x[1:].data_ptr(), (1,)))

    def test_an_operation_is_registered_once_and_has_the_cases_schema(self) -> None:
        call = {**NOTHING["nodes"][1], "args": [{"graph": "other"}, ["%v", "%y"]]}
        first, again = (custom_ops.register(NOTHING, call, lambda *_: ()) for _ in range(2))
        self.assertIs(first, again)
        self.assertTrue(str(first._schema).endswith("(Tensor(a!) a, Tensor b) -> ()"), first._schema)
        self.assertFalse(custom_ops.Registration().is_composite(call["schema"]))
        self.assertTrue(custom_ops.Registration().is_composite(OPERAND["nodes"][1]["schema"]))


if __name__ == "__main__":
    unittest.main()
