"""Starts the program that the wheel brings, with its data and the user's environments.

PARALLAX_ROOT names the folder with adapters/, corpus/ and bugs/, PARALLAX_ENVIRONMENTS the one in which
`parallax targets install` makes virtual environments. Both may be set by hand.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
PROGRAM = PACKAGE / "bin" / "parallax"


def environments(variables: Mapping[str, str]) -> Path:
    """Where environments are kept: below XDG_DATA_HOME, since a package's own folder may be replaced or read-only."""
    home = variables.get("XDG_DATA_HOME") or str(Path(variables.get("HOME", "~")).expanduser() / ".local" / "share")
    return Path(home) / "parallax" / "targets"


def variables_for(given: Mapping[str, str]) -> dict[str, str]:
    """The program's environment variables."""
    defaults = {"PARALLAX_ROOT": str(PACKAGE / "data"), "PARALLAX_ENVIRONMENTS": str(environments(given))}
    return {**defaults, **given}


def main() -> None:
    """Becomes the program."""
    if not PROGRAM.exists():
        sys.exit(f"parallax: {PROGRAM} is missing; install the wheel again")
    os.execve(PROGRAM, [str(PROGRAM), *sys.argv[1:]], variables_for(os.environ))
