"""The part of a Python file that one name needs: imports and definitions that it refers to, and nothing else.

A bug report's script builds models, prints and compares at its top level. None of that runs when one class of it is
imported: statements that bind no needed name are left out, but for those that set up what PyTorch keeps globally.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

# Calls for their effect that definitions depend on, by the last name of what is called.
SETTINGS = {"manual_seed", "set_default_dtype", "register_dataclass", "register_pytree_node", "define", "impl",
            "register_fake", "register_kernel", "register_autograd", "load_library", "allow_in_graph"}  # fmt: skip
OPS_OF_OUR_OWN = ("custom_op", "register_fake", "register_kernel", "impl", "impl_abstract", "triton_op")


class NotThereError(Exception):
    """The file binds no such name."""


def needed_source(text: str, name: str, also: tuple[str, ...], file: str) -> ast.Module:
    """What has to be executed for `name`, and for those of `also` that the file binds."""
    tree = ast.parse(text, file)
    statements = [one for one in tree.body if not is_main_guard(one)]
    binds = [set(bound_names(one)) for one in statements]
    stars = any(isinstance(one, ast.ImportFrom) and one.names[0].name == "*" for one in statements)
    if not any(name in names for names in binds) and not stars:
        raise NotThereError
    wanted = {name, *also}
    taken: set[int] = set()
    changed = True
    while changed:
        changed = False
        for at, one in enumerate(statements):
            if at not in taken and (binds[at] & wanted or is_setting(one) or adds_to(one, wanted)):
                taken.add(at)
                wanted |= read_names(one)
                changed = True
    return ast.Module([statements[at] for at in sorted(taken)], tree.type_ignores)


def is_main_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in {
        node.id for node in ast.walk(statement.test) if isinstance(node, ast.Name)
    }


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """What it binds at the top level, in branches and loops too."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    elif not isinstance(statement, ast.Expr):
        for node in ast.iter_child_nodes(statement):
            if isinstance(node, ast.stmt):
                yield from bound_names(node)
            elif isinstance(node, ast.ExceptHandler):
                for inner in node.body:
                    yield from bound_names(inner)
            else:
                yield from (
                    one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                )


def read_names(statement: ast.stmt) -> set[str]:
    """Every name that it mentions, however deep."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return names - set(vars(builtins))


def is_setting(statement: ast.stmt) -> bool:
    """Whether it changes what PyTorch keeps globally, or says what every file does: `from x import *`, __future__."""
    if isinstance(statement, ast.ImportFrom):
        return statement.module == "__future__" or statement.names[0].name == "*"
    if isinstance(statement, ast.FunctionDef):
        return any(last_name(decorator) in OPS_OF_OUR_OWN for decorator in statement.decorator_list)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Call) and last_name(statement.value) in SETTINGS
    return False


def last_name(node: ast.expr) -> str:
    """register_fake of torch.library.register_fake("x")."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def adds_to(statement: ast.stmt, wanted: set[str]) -> bool:
    """Whether it assigns to an attribute or an element of a name that is wanted: `f.example_inputs = …`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    return any(
        isinstance(node, ast.Name) and node.id in wanted
        for target in targets
        if isinstance(target, (ast.Attribute, ast.Subscript, ast.Name))
        for node in [root(target)]
    )


def root(node: ast.expr) -> ast.expr:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node
