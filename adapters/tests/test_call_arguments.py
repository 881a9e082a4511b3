"""The law of arguments: every argument of every overload of ATen is written down, or refused."""

from __future__ import annotations

import ast
import inspect
import textwrap
import unittest
from collections.abc import Iterator
from typing import Any

try:
    import torch
except ImportError:
    torch = None

if torch is not None:
    from adapters.importing.call_arguments import PLACES, is_arithmetic, literal, name_of, written_call
    from adapters.importing.op_formulas import FORMULAS, empties
    from adapters.worker.one_answer import RefusedError


class Marked:
    """A value that a writer gives back as text that only it has."""

    def __init__(self, text: str) -> None:
        self.text = text


def overloads() -> Iterator[Any]:
    for name in dir(torch.ops.aten):
        packet = getattr(torch.ops.aten, name)
        if isinstance(packet, torch._ops.OpOverloadPacket):
            for overload in packet.overloads():
                yield getattr(packet, overload)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for element in value:
            yield from leaves(element)
    else:
        yield value


@unittest.skipIf(torch is None, "PyTorch is not installed")
class CallArgumentTest(unittest.TestCase):
    def test_every_argument_of_every_overload_is_written(self) -> None:
        count = 0
        for overload in overloads():
            arguments = overload._schema.arguments
            marks = [Marked(argument.name) for argument in arguments if argument.name not in PLACES]
            given = iter(marks)
            values = [None if argument.name in PLACES else next(given) for argument in arguments]
            first = [argument.kwarg_only for argument in arguments].count(False)
            for positional in {0, first}:
                kwargs = {argument.name: value for argument, value in zip(arguments, values, strict=True)}
                for argument in arguments[:positional]:
                    del kwargs[argument.name]
                args, named = written_call(overload, tuple(values[:positional]), kwargs, lambda mark: mark.text)
                written = [*leaves(args), *leaves(named)]
                self.assertEqual(written, [mark.text for mark in marks], name_of(overload))
                self.assertLessEqual(set(named), {argument.name for argument in arguments})
            count += 1
        self.assertGreater(count, 2000)

    def test_an_argument_that_the_schema_does_not_have_is_refused(self) -> None:
        add = torch.ops.aten.add.Tensor
        with self.assertRaisesRegex(RefusedError, "no argument beta"):
            written_call(add, (), {"beta": 2}, literal)
        with self.assertRaisesRegex(RefusedError, "4 arguments, of 3"):
            written_call(add, (1, 2, 3, 4), {}, literal)

    def test_a_place_that_says_something_is_refused(self) -> None:
        zeros = torch.ops.aten.zeros.default
        for place in ({"device": torch.device("cuda")}, {"layout": torch.sparse_coo}, {"pin_memory": True}):
            with self.subTest(place=place), self.assertRaisesRegex(RefusedError, "="):
                written_call(zeros, ([2],), place, literal)
        nowhere = {"device": torch.device("cpu"), "layout": torch.strided, "pin_memory": False}
        self.assertEqual(written_call(zeros, ([2],), nowhere, literal), ([[2]], {}))

    def test_a_place_between_others_leaves_what_follows_its_name(self) -> None:
        to = torch.ops.aten.to.device
        args, kwargs = written_call(to, (1, torch.device("cpu"), torch.float16, False), {}, literal)
        self.assertEqual((args, kwargs), ([1], {"dtype": "f16", "non_blocking": False}))

    def test_literals(self) -> None:
        for value, text in ((float("inf"), "inf"), (float("-inf"), "-inf"), (float("nan"), "nan"), (2, 2), (None, None),
                            (torch.int8, "i8"), (torch.channels_last, "channels_last"), (True, True)):  # fmt: skip
            self.assertEqual(literal(value), text)
        for value in (torch.complex64, 1j, object(), torch.ones(1)):
            with self.assertRaises(RefusedError):
                literal(value)

    def test_formulas_read_every_argument_of_their_schemas(self) -> None:
        for name, function in {**FORMULAS, **empties(0.0)}.items():
            _, op, overload = name.split(".")
            schema = getattr(getattr(torch.ops.aten, op), overload)._schema.arguments
            parameters = list(inspect.signature(function).parameters)
            with self.subTest(op=name):
                for at, argument in enumerate(schema):
                    if argument.kwarg_only:
                        self.assertIn(argument.name, parameters)
                    else:
                        self.assertLess(at, len(parameters))
                tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
                read = {
                    node.id for node in ast.walk(tree)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Load, ast.Del))
                }  # fmt: skip
                self.assertLessEqual(set(parameters), read)

    def test_only_arithmetic_is_called_on_sizes(self) -> None:
        import math
        import operator
        import os

        for function in (operator.mul, math.floor, torch.sym_max, torch._check, operator.ge):
            self.assertTrue(is_arithmetic(function))
        for function in (os.system, exec, torch.load, operator.attrgetter, operator.methodcaller, open):
            self.assertFalse(is_arithmetic(function))


if __name__ == "__main__":
    unittest.main()
