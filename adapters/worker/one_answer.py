"""What a script that answers once does with its answer: one line of JSON on standard output, or one line on standard
error and exit code 2. What libraries and users' files print goes to standard error. Standard library only."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


class RefusedError(Exception):
    """One line for a person: what the file has that is not understood."""


def answer_once(name: str, make: Callable[[], Any], unexpected: str = "") -> int:
    """Writes what `make` returns; the exit code. `name` is what the errors are about, `unexpected` what an exception of
    a library means there: its type, unless said otherwise."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        answer = make()
    except RefusedError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        lines = [*str(error).strip().splitlines(), type(error).__name__ if unexpected else ""]
        print(f"{name}: {unexpected or type(error).__name__}: {lines[0]}", file=sys.stderr)
        return 2
    replies.write(json.dumps(answer) + "\n")
    replies.close()
    return 0
