"""A tree mapped straight is a tree mapped by PyTorch."""

from __future__ import annotations

import unittest
from collections import OrderedDict, namedtuple
from importlib.util import find_spec
from typing import Any
from unittest import mock

if find_spec("torch"):
    import torch
    import torch.utils._pytree as pytree
    from torch.fx.immutable_collections import immutable_dict, immutable_list

    from adapters.torch.plain_trees import go_straight

Pair = namedtuple("Pair", ("first", "second"))


@unittest.skipUnless(find_spec("torch"), "this Python has no torch")
class PlainTreesTest(unittest.TestCase):
    def setUp(self) -> None:
        for name in ("tree_map", "tree_map_only"):
            kept = mock.patch.object(pytree, name, getattr(pytree, name))
            kept.start()
            self.addCleanup(kept.stop)

    def trees(self) -> list[Any]:
        return [
            3,
            None,
            (),
            [],
            {},
            (1, [2.5, {"b": 3, "a": (4, None)}], "five"),
            Pair(1, [2, Pair(3, ())]),
            {"z": Pair(1, 2.0), "a": OrderedDict(c=1, b=[2])},
            (immutable_list([1, (2, [3])]), immutable_dict(x=[4.0])),
            (torch.Size([2, 3]), True, 1 + 2j),
            torch.return_types.max((1, 2)),
        ]

    def test_maps_as_pytorch_does(self) -> None:
        def mapped() -> list[Any]:
            order: list[Any] = []

            def seen(leaf: Any) -> Any:
                order.append(leaf)
                return (leaf, "seen")

            made: list[Any] = []
            for tree in self.trees():
                made.append(pytree.tree_map(seen, tree))
                made += [pytree.tree_map_only(kind, seen, tree) for kind in (int, float, type(None))]
                made.append(pytree.tree_map_only((int, str), seen, tree))
                made.append(pytree.tree_map_only(lambda leaf: leaf == 1, seen, tree))
                made.append(pytree.tree_map(seen, tree, is_leaf=lambda one: isinstance(one, list)))
                made.append(pytree.tree_map(lambda *leaves: leaves, tree, tree))
            return [*map(repr, made), *map(repr, order)]

        plain = mapped()
        go_straight()
        self.assertEqual(mapped(), plain)

    def test_types_that_are_registered_later_are_trees(self) -> None:
        class Box:
            def __init__(self, inside: Any) -> None:
                self.inside = inside

        go_straight()
        box = Box([1])
        self.assertIs(pytree.tree_map(lambda leaf: leaf, [box])[0], box)
        pytree.register_pytree_node(Box, lambda one: ([one.inside], None), lambda inside, _: Box(*inside))
        self.addCleanup(pytree.SUPPORTED_NODES.pop, Box)
        self.assertEqual(pytree.tree_map(lambda leaf: leaf + 1, [box])[0].inside, [2])


if __name__ == "__main__":
    unittest.main()
