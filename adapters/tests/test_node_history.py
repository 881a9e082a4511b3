"""The history of a node, shared from pass to pass, says what a copied one says."""

from __future__ import annotations

import unittest
from importlib.util import find_spec
from typing import Any
from unittest import mock

if find_spec("torch"):
    import torch
    from torch.fx import Graph
    from torch.fx import traceback as fx_traceback
    from torch.fx.traceback import NodeSource, NodeSourceAction

    from adapters.torch.node_history import share_histories


def after_passes(count: int) -> list[Any]:
    """The history of a node after that many passes, each of which makes it of the last one."""
    node = Graph().placeholder("x")
    for number in range(count):
        history = [NodeSource(node, f"pass {number}", NodeSourceAction.CREATE)]
        node = Graph().placeholder(f"x{number}")
        node.meta["from_node"] = history
    return node.meta["from_node"]


def told(history: list[Any]) -> Any:
    """What a history says, without the numbers of its graphs."""
    names = ("name", "target", "pass_name")
    return [([getattr(one, name) for name in names], one._get_action_string(), told(one.from_node)) for one in history]


@unittest.skipUnless(find_spec("torch") and hasattr(torch.fx.traceback, "NodeSource"), "no torch with histories")
class NodeHistoryTest(unittest.TestCase):
    def setUp(self) -> None:
        kept = mock.patch.object(fx_traceback, "copy", fx_traceback.copy)
        kept.start()
        self.addCleanup(kept.stop)

    def test_says_what_a_copy_says(self) -> None:
        copied = told(after_passes(5))
        share_histories()
        self.assertEqual(told(after_passes(5)), copied)

    def test_a_pass_that_adds_to_its_node_adds_to_no_other(self) -> None:
        share_histories()
        node = Graph().placeholder("x")
        node.meta["from_node"] = after_passes(1)
        made = NodeSource(node, "one", NodeSourceAction.CREATE)
        node.meta["from_node"].append(NodeSource(None, "another", NodeSourceAction.CREATE))
        self.assertEqual(len(made.from_node), 1)
        self.assertIs(made.from_node[0], node.meta["from_node"][0])


if __name__ == "__main__":
    unittest.main()
