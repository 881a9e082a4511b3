"""What the packages import from each other: names that are there, and in one direction."""

from __future__ import annotations

import ast
import unittest
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent.parent

# A package, and those of ours that it may import from. One that is not listed imports from itself and worker/ alone.
USES = {
    "torch": {"onnx"},  # torch.onnx.export is checked with the writer's arrays
    "executorch": {"torch", "audit"},
    "coreml": {"torch", "audit"},
    "iree": {"onnx"},
    "functional": {"onnx"},
    "ncnn": {"onnx"},
    "audit": {"torch"},
    "importing": {"torch", "onnx"},
    "measure": {"onnx", "ncnn", "functional"},
}


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
                [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)]
            )
    return names


def modules() -> dict[str, ast.Module]:
    """Every file but the tests, by its dotted name."""
    files = [path for path in ADAPTERS.rglob("*.py") if path.relative_to(ADAPTERS).parts[0] != "tests"]
    names = [".".join(path.relative_to(ADAPTERS.parent).with_suffix("").parts) for path in files]
    return {
        name.removesuffix(".__init__"): ast.parse(path.read_text()) for name, path in zip(names, files, strict=True)
    }


def imported(tree: ast.Module) -> list[tuple[str, str]]:
    """The module and name of each `from adapters.… import …`."""
    return [
        (node.module, alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "adapters"
        for alias in node.names
    ]


def package(module: str) -> str:
    """ "onnx" of "adapters.onnx.runtimes.tvm"."""
    return module.split(".")[1]


class ImportTest(unittest.TestCase):
    def setUp(self) -> None:
        self.modules = modules()
        self.assertIn("adapters.worker.loop", self.modules)

    def test_every_name_is_there(self) -> None:
        names = {module: defined(tree.body) for module, tree in self.modules.items()}
        missing = [
            f"{module}: from {source} import {name}"
            for module, tree in self.modules.items()
            for source, name in imported(tree)
            if name not in names.get(source, set()) and f"{source}.{name}" not in self.modules
        ]
        self.assertEqual(missing, [])

    def test_packages_import_in_one_direction(self) -> None:
        found = {(package(module), package(f"{source}.{name}"))
                 for module, tree in self.modules.items() for source, name in imported(tree)}  # fmt: skip
        allowed = {(user, used) for user, several in USES.items() for used in several}
        self.assertEqual({pair for pair in found if pair[0] != pair[1] and pair[1] != "worker"}, allowed)


if __name__ == "__main__":
    unittest.main()
