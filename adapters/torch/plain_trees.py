"""torch.utils._pytree's tree_map, straight through tuples, lists and dicts.

PyTorch writes a tree's leaves into a list, makes a description of the tree and builds another one of that, for each
call of each pass: some eight hundredths of what lowering a small graph for XNNPACK costs. What is not of the three
plain types goes its way, wherever it is in a tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch.utils._pytree as pytree


def go_straight() -> None:
    """To be called once, after the libraries are imported: who has the functions already keeps the old ones."""
    nodes = pytree.SUPPORTED_NODES
    whole_map, whole_map_only = pytree.tree_map, pytree.tree_map_only

    def mapped(func: Callable[[Any], Any], tree: Any) -> Any:
        kind = type(tree)
        if kind is tuple:
            return tuple([mapped(func, one) for one in tree])
        if kind is list:
            return [mapped(func, one) for one in tree]
        if kind is dict:
            return {key: mapped(func, one) for key, one in tree.items()}
        if kind in nodes or issubclass(kind, tuple):  # named tuples are trees without being registered
            return whole_map(func, tree)
        return func(tree)

    def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Any = None) -> Any:
        if rests or is_leaf is not None:
            return whole_map(func, tree, *rests, is_leaf=is_leaf)
        return mapped(func, tree)

    def tree_map_only(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: Any = None) -> Any:
        types = type_or_types_or_pred
        if is_leaf is not None or not isinstance(types, type):
            return whole_map_only(types, func, tree, is_leaf=is_leaf)
        return mapped(lambda leaf: func(leaf) if isinstance(leaf, types) else leaf, tree)

    pytree.tree_map = tree_map
    pytree.tree_map_only = tree_map_only
