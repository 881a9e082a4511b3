"""The code of a graph that is written once is what torch.fx writes each time."""

from __future__ import annotations

import operator
import unittest
from importlib.util import find_spec
from typing import Any
from unittest import mock

if find_spec("torch"):
    import torch
    from torch.fx import Graph, GraphModule
    from torch.fx import graph_module as fx_graph_module

    from adapters.torch.graph_code import GraphCode, graph_key


def graph_of(op: Any, *more: Any, name: str = "y") -> Graph:
    """The graph of one call on an input; where nothing else is said, its result is returned."""
    graph = Graph()
    x = graph.placeholder("x")
    graph.output(graph.create_node("call_function", op, (x, *more), name=name))
    return graph


@unittest.skipUnless(find_spec("torch"), "this Python has no torch")
class GraphCodeTest(unittest.TestCase):
    def setUp(self) -> None:
        for where, name in ((Graph, "python_code"), (fx_graph_module, "_forward_from_src")):
            kept = mock.patch.object(where, name, getattr(where, name))
            kept.start()
            self.addCleanup(kept.stop)

    def test_hit_is_what_a_miss_gives(self) -> None:
        ops = torch.ops.aten
        calls = [
            (ops.add.Tensor, 1),
            (ops.add.Tensor, 1.0),
            (ops.add.Tensor, True),
            (ops.add.Tensor, -0.0),
            (ops.add.Tensor, float("inf")),
            (ops.mul.Tensor, 2),
            (ops.view.default, [2, 2]),
            (ops.to.dtype, torch.float64),
            (operator.getitem, 0),
            (operator.getitem, slice(0, 1)),
        ]
        plain = [graph_of(*call).python_code("self") for call in calls]
        plain_results = [
            GraphModule({}, graph_of(*call))(torch.arange(4.0)) for call in calls if call[0] is not operator.getitem
        ]
        code = GraphCode()
        for again in range(3):
            made = [graph_of(*call).python_code("self") for call in calls]
            self.assertEqual([one.src for one in made], [one.src for one in plain], again)
            self.assertEqual([one._lineno_map for one in made], [one._lineno_map for one in plain])
            self.assertEqual([one.globals for one in made], [one.globals for one in plain])
        self.assertEqual(code.written, len(calls) + 2)  # the one with the slice each time
        for _ in range(2):
            modules = [GraphModule({}, graph_of(*call)) for call in calls if call[0] is not operator.getitem]
            for module, result in zip(modules, plain_results, strict=True):
                self.assertTrue(torch.equal(module(torch.arange(4.0)), result))
        self.assertEqual(code.compiled, len(modules))

    def test_key_tells_graphs_apart(self) -> None:
        ops = torch.ops.aten
        used = graph_of(ops.add.Tensor, 1)
        unused = Graph()
        x = unused.placeholder("x")
        unused.create_node("call_function", ops.add.Tensor, (x, 1), name="y")
        unused.output(x)
        graphs = [
            used,
            unused,
            graph_of(ops.add.Tensor, 1, name="z"),
            graph_of(ops.sub.Tensor, 1),
            graph_of(ops.add.Tensor, 1.0),
            graph_of(ops.add.Tensor, True),
            graph_of(ops.add.Tensor, "1"),
            graph_of(ops.add.Tensor, [1]),
            graph_of(ops.add.Tensor, (1,)),
            graph_of(ops.add.Tensor, 0.0),
            graph_of(ops.add.Tensor, -0.0),
        ]
        keys = [graph_key(graph) for graph in graphs]
        self.assertNotIn(None, keys)
        self.assertEqual(len(set(keys)), len(graphs))
        self.assertEqual(graph_key(graph_of(ops.add.Tensor, 1)), keys[0])

    def test_edited_graph_has_its_own_code(self) -> None:
        GraphCode()
        module = GraphModule({}, graph_of(torch.ops.aten.add.Tensor, 1))
        self.assertEqual(module(torch.zeros(())).item(), 1)
        call = next(node for node in module.graph.nodes if node.op == "call_function")
        call.args = (call.args[0], 5)
        self.assertEqual(module(torch.zeros(())).item(), 1)  # as before: nobody has asked to recompile
        module.recompile()
        self.assertEqual(module(torch.zeros(())).item(), 5)
        call.type = torch.Tensor  # an annotation: not of the plain graphs
        self.assertIsNone(graph_key(module.graph))

    def test_names_of_equal_texts_are_their_own(self) -> None:
        """Two functions of one name have one text; each module calls its own."""

        def made(number: int) -> Any:
            def function(x: Any) -> Any:
                return x + number

            return function

        GraphCode()
        modules = [GraphModule({}, graph_of(made(number))) for number in (1, 2)]
        self.assertEqual(modules[0].code, modules[1].code)
        self.assertEqual([module(0) for module in modules], [1, 2])

    def test_text_that_is_no_code_is_refused_each_time(self) -> None:
        GraphCode()
        for _ in range(2):
            with self.assertRaises(SyntaxError):
                fx_graph_module._forward_from_src("def forward(self, x:", {})


if __name__ == "__main__":
    unittest.main()
