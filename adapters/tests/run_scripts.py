"""Runs exported scripts, all in this process, because a system is slow to import: one line of JSON for each run.

    python run_scripts.py FOLDER

Each script runs for Bug alone, where it has one for Control alone, and, where it drives a target, for Bug with eager in
the target's place ("Eager"): what shows then would be the script's own.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from pathlib import Path
from typing import Any

DRIVEN = "run(target, make_module, FEEDS)"


def run(script: Path, name: str) -> dict[str, object]:
    """How a script ends for one of its classes, and what it prints."""
    import torch  # not above: others read DRIVEN where there is none

    torch._dynamo.reset()
    source = script.read_text(encoding="utf-8")
    if name == "Eager":
        source = source.replace(DRIVEN, DRIVEN.replace("target", "eager"))
    sys.argv = [str(script), "Bug" if name == "Eager" else name]
    code: object = None
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as output:
        try:
            exec(compile(source, str(script), "exec"), names)
        except SystemExit as end:
            code = end.code
        except Exception:
            traceback.print_exc(file=output)
        finally:
            torch.set_grad_enabled(True)
            for library in names.values():  # the next script defines operations of the same names
                if isinstance(library, torch.library.Library):
                    library._destroy()
    return {"script": script.stem, "class": name, "code": code, "output": output.getvalue()}


def main(folder: str) -> None:
    for script in sorted(Path(folder).glob("*.py")):
        source = script.read_text(encoding="utf-8")
        for name, mark in (("Bug", "\nclass Bug("), ("Control", "\nclass Control("), ("Eager", DRIVEN)):
            if mark in source:
                print(json.dumps(run(script, name)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
