"""Runs a module of this package from any folder: python3 adapters torch.eager [ARGUMENT]…

Python searches the folder that it is told to run first, where `torch` would be ours. The folder above is searched
instead, after all others: there `torch` is PyTorch and `adapters.torch` is ours. Standard library only.
"""

from __future__ import annotations

import runpy
import sys
from importlib.util import find_spec
from pathlib import Path


def is_module(name: str) -> bool:
    """Whether that is a module, and no package, of ours."""
    try:
        found = find_spec(f"adapters.{name}")
    except (ImportError, ValueError):  # of the package above it; of a name with a dot too many
        return False
    return found is not None and found.submodule_search_locations is None


def main() -> None:
    if not __package__:  # the folder was run, as above, and not the package by -m
        sys.path[:] = [*sys.path[1:], str(Path(__file__).resolve().parent.parent)]
    if len(sys.argv) < 2 or not is_module(sys.argv[1]):
        given = f"{sys.argv[1]!r} is no module of adapters/" if len(sys.argv) > 1 else "which module?"
        print(f"error: {given}: python3 adapters MODULE, such as torch.eager", file=sys.stderr)
        sys.exit(2)
    runpy.run_module(f"adapters.{sys.argv.pop(1)}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
