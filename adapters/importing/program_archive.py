"""Reads torch.export archives (.pt2) without running what is in them.

torch.export.load unpickles freely and has sympy evaluate the text of sizes. So the archive is looked through first:
what holds a pickle that is more than tensors and plain values, a compiled library, or text that is no arithmetic is
refused, and pickles are read with `weights_only`.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import pickle
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils import _pytree

from adapters.worker.one_answer import RefusedError

SIZE_SYNTAX = (ast.Name, ast.Load, ast.BinOp, ast.UnaryOp, ast.Compare,
               ast.BoolOp, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.Tuple)  # fmt: skip
FACTORIES = ("builtins", "collections", "torch")  # modules that a tree's default values may come from


def load_archive(where: str) -> torch.export.ExportedProgram:
    path = Path(where)
    if not path.is_file():
        raise RefusedError("does not exist")
    try:
        check_archive(path)
    except (zipfile.BadZipFile, EOFError, OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RefusedError(f"no torch.export archive, or a damaged one: {error}") from None
    from torch._export.serde.serialize import SerializeError

    with pickles_as_data():
        try:
            return load_program(where)
        except pickle.UnpicklingError:
            raise RefusedError("a pickle in it is more than tensors and plain values; it is not read") from None
        except SerializeError as error:
            unknown = re.search(r"failed to resolve torch\.ops\.(\S+) to an operator", str(error))
            if unknown is None:
                raise
            reason = f"it calls {unknown[1]}, which nothing here defines; name its library with --library"
            raise RefusedError(reason) from None


def load_program(where: str) -> torch.export.ExportedProgram:
    """torch.export.load, whose errors for the present format are logged and replaced by another."""
    from torch.export.pt2_archive._package import load_pt2

    with zipfile.ZipFile(where) as archive:
        legacy = "serialized_exported_program.json" in archive.namelist()
    if legacy:
        return torch.export.load(where)
    programs = load_pt2(where).exported_programs
    if len(programs) > 1 and "model" not in programs:
        raise RefusedError(f"it holds several programs: {', '.join(programs)}")
    return programs.get("model") or next(iter(programs.values()))


def check_archive(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        broken = archive.testzip()
        if broken is not None:
            raise zipfile.BadZipFile(f"{broken} is damaged")
        inside = {name.partition("/")[2] or name: name for name in names}
        programs = [name for name in names if is_program(name)]
        if not programs:
            raise RefusedError("no torch.export archive: it holds no program")
        for short, name in inside.items():
            check_record(archive, short, name)


def is_program(name: str) -> bool:
    inside = name.partition("/")[2]
    return (inside.startswith("models/") and inside.endswith(".json")) or name == "serialized_exported_program.json"


def check_record(archive: zipfile.ZipFile, short: str, name: str) -> None:
    file = short.rpartition("/")[2]
    if short.startswith("data/aotinductor/"):
        raise RefusedError(f"{short} is compiled code, which is not run")
    if file.startswith(("custom_obj_", "opaque_obj_")):
        raise RefusedError(f"{short} is a pickled object, which is not read")
    if name.endswith(".json"):
        check_texts(json.loads(archive.read(name)), short)
    elif file.endswith(".pt"):
        check_pickle(archive.read(name), short)


def check_pickle(data: bytes, name: str) -> None:
    """Refuses what is no tensors, plain values and classes that PyTorch or a loaded library registered as trees."""
    if not data:
        return
    try:
        with torch.serialization.safe_globals(tree_classes()):
            torch.load(io.BytesIO(data), weights_only=True)
    except Exception as error:
        wanted = str(error).partition("GLOBAL ")[2].split(" ")[0]
        reason = f"wants to call {wanted}" if wanted else "is more than tensors and plain values"
        raise RefusedError(f"the pickle {name} {reason}; it is not read") from None


def tree_classes() -> list[Any]:
    return [kind for kind in _pytree.SUPPORTED_NODES if isinstance(kind, type)]


def check_texts(value: Any, name: str) -> None:
    """Refuses text that would be evaluated and is no arithmetic, and trees that want modules imported."""
    if isinstance(value, list):
        for element in value:
            check_texts(element, name)
    elif isinstance(value, dict):
        for key, element in value.items():
            if key == "expr_str" and isinstance(element, str):
                check_size(element, name)
            if (key == "default_factory_module" and element not in FACTORIES) or key == "__enum__":
                raise RefusedError(f"{name} wants {value.get('fqn', element)} imported")
            check_texts(element, name)
    elif isinstance(value, str) and value.startswith(("[", "{")):  # a tree's description is JSON inside JSON
        with contextlib.suppress(json.JSONDecodeError):
            check_texts(json.loads(value), name)


def check_size(text: str, name: str) -> None:
    allowed = size_functions()
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        raise RefusedError(f"{name}: {text[:60]!r} is no size") from None
    if not is_arithmetic_syntax(tree.body, allowed):
        raise RefusedError(f"{name}: {text[:60]!r} is no size")


def is_arithmetic_syntax(node: ast.AST, allowed: set[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, bool))
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name):
            return False
        if node.func.id == "Symbol":
            return is_symbol(node)
        return (
            node.func.id in allowed
            and not node.keywords
            and all(is_arithmetic_syntax(argument, allowed) for argument in node.args)
        )
    return isinstance(node, SIZE_SYNTAX) and all(
        is_arithmetic_syntax(child, allowed) for child in ast.iter_child_nodes(node)
    )


def is_symbol(call: ast.Call) -> bool:
    """Symbol('s0', positive=True, integer=True)."""
    texts = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    facts = [keyword.value.value for keyword in call.keywords if isinstance(keyword.value, ast.Constant)]
    return (
        len(texts) == len(call.args) == 1
        and isinstance(texts[0], str)
        and texts[0].isidentifier()
        and len(facts) == len(call.keywords)
        and all(isinstance(fact, bool) for fact in facts)
    )


def size_functions() -> set[str]:
    """The expressions of sympy, and those that PyTorch adds to them."""
    import sympy
    from torch.utils._sympy import functions

    return {
        name
        for module in (sympy, functions)
        for name, kind in vars(module).items()
        if (isinstance(kind, type) and issubclass(kind, sympy.Basic)) or name in ("Max", "Min", "sqrt")
    }


def tree_of(text: str) -> Any:
    """A tree's description, in which a class that nobody registered here is a tuple: only the leaves are used."""

    def known(spec: dict[str, Any]) -> dict[str, Any]:
        children = [known(child) for child in spec["children_spec"]]
        kind, context = spec["type"], spec["context"]
        if kind is not None and kind not in _pytree.SERIALIZED_TYPE_TO_PYTHON_TYPE:
            kind, context = "builtins.tuple", "null"
        return {"type": kind, "context": context, "children_spec": children}

    protocol, spec = json.loads(text)
    return _pytree.treespec_loads(json.dumps([protocol, known(spec)]))


@contextlib.contextmanager
def pickles_as_data() -> Iterator[None]:
    """torch.load with weights_only, whatever the caller asks for; no other unpickler."""
    from torch._export.serde import serialize
    from torch.export.pt2_archive import _package

    load, unpickler, from_c = torch.load, _package.pickle, torch._C._pickle_load_obj
    reader = serialize.GraphModuleDeserializer
    trees, output = serialize.treespec_loads, reader.deserialize_graph_output
    serialize.treespec_loads = tree_of
    # PyTorch saves an output that is text, and cannot read it back.
    reader.deserialize_graph_output = lambda self, one: one.value if one.type == "as_string" else output(self, one)

    def careful(*args: Any, **kwargs: Any) -> Any:
        return load(*args, **{**kwargs, "weights_only": True})

    def refuse(*_: Any) -> Any:
        raise RefusedError("a pickled object, which is not read")

    torch.load, torch._C._pickle_load_obj = careful, refuse
    _package.pickle = type("Refusing", (), {"loads": staticmethod(refuse), "load": staticmethod(refuse)})
    try:
        with torch.serialization.safe_globals(tree_classes()):
            yield
    finally:
        torch.load, _package.pickle, torch._C._pickle_load_obj = load, unpickler, from_c
        serialize.treespec_loads, reader.deserialize_graph_output = trees, output
