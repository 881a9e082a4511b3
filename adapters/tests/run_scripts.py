"""Runs exported scripts, all in this process, because a system is slow to import: one line of JSON for each run.

    python run_scripts.py FOLDER

Each script runs for Bug alone and, where it has one, for Control alone.
"""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
import traceback
from pathlib import Path

import torch


def run(script: Path, name: str) -> dict[str, object]:
    """How a script ends for one of its classes, and what it prints."""
    torch._dynamo.reset()
    sys.argv = [str(script), name]
    code: object = None
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc(file=output)
        finally:
            torch.set_grad_enabled(True)
    return {"script": script.stem, "class": name, "code": code, "output": output.getvalue()}


def main(folder: str) -> None:
    for script in sorted(Path(folder).glob("*.py")):
        for name in ("Bug", "Control"):
            if f"\nclass {name}(" in script.read_text(encoding="utf-8"):
                print(json.dumps(run(script, name)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
