"""Every name that an adapter imports from another file here is there: most of them need a system to be run at all."""

from __future__ import annotations

import ast
import unittest
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent.parent


def defined(body: list[ast.stmt]) -> set[str]:
    """What these statements bind, in branches and loops too, but not what is local to a function or class."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            stored = (one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
            names |= {one.id for one in stored} | defined(
                [one for one in ast.iter_child_nodes(node) if is_statement(one)]
            )
    return names


def is_statement(node: ast.AST) -> bool:
    return isinstance(node, ast.stmt)


class ImportTest(unittest.TestCase):
    def test_every_name_is_there(self) -> None:
        trees = {path.stem: ast.parse(path.read_text()) for path in ADAPTERS.glob("*.py")}
        names = {module: defined(tree.body) for module, tree in trees.items()}
        missing = [
            f"{module}.py: from {node.module} import {alias.name}"
            for module, tree in trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module in names
            for alias in node.names
            if alias.name not in names[node.module]
        ]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
