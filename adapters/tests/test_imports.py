"""What the packages import from each other: names that are there, and in one direction."""

from __future__ import annotations

import ast
import re
import sys
import unittest
from pathlib import Path

from adapters.install import read_catalogue

ADAPTERS = Path(__file__).resolve().parent.parent

# A package, and those of ours that it may import from. One that is not listed imports from itself and worker/ alone.
USES = {
    "torch": {"onnx", "litert", "xla"},  # torch.onnx.export is checked with the writer's arrays
    "executorch": {"torch", "audit"},
    "coreml": {"torch", "audit"},
    "iree": {"onnx"},
    "functional": {"onnx", "litert", "xla"},
    "ncnn": {"onnx"},
    "audit": {"torch"},
    "importing": {"torch", "onnx"},
    "measure": {"onnx", "ncnn", "functional", "litert", "torch"},
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


def at_import(tree: ast.Module) -> set[str]:
    """The modules that importing this one imports."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


# By what a distribution's pin is named where that is not the package, and what comes with a pinned one.
DISTRIBUTIONS = {
    "ai_edge_litert": "ai-edge-litert", "cv2": "opencv-python-headless",
    "iree": "iree-base-runtime", "litert_torch": "litert-torch", "serializer": "tosa-tools",
    "tensorflow": "tensorflow-cpu", "tosa_reference_model": "tosa-tools", "tvm": "apache-tvm",
}  # fmt: skip
BROUGHT = {
    "coremltools": {"executorch"},
    "numpy": {"torch", "executorch", "tensorflow-cpu", "onnxruntime", "apache-tvm", "iree-base-runtime", "openvino"},
    "ml_dtypes": {"tensorflow-cpu", "onnx", "jax"},
}


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

    def test_a_target_imports_what_its_environment_has(self) -> None:
        catalogue = read_catalogue()
        for name, target in catalogue["targets"].items():
            reached, todo = set(), [f"adapters.{target['adapter']}"]
            while todo:
                module = todo.pop()
                if module in self.modules and module not in reached:
                    reached.add(module)
                    todo += at_import(self.modules[module])
            packages = {one.partition(".")[0] for module in reached for one in at_import(self.modules[module])}
            needed = packages - {"adapters", "__future__"} - sys.stdlib_module_names
            for family in target["families"]:
                for version, pins in catalogue["families"][family]["pins"].items():
                    pinned = {re.split(r"[=<>\[]", pin)[0] for pin in pins}
                    missing = {
                        package
                        for package in needed
                        if DISTRIBUTIONS.get(package, package) not in pinned
                        and not BROUGHT.get(package, set()) & pinned
                    }
                    with self.subTest(target=name, family=family, version=version):
                        self.assertEqual(missing, set())


if __name__ == "__main__":
    unittest.main()
