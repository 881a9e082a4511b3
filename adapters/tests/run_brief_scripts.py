"""Runs brief scripts, each in a process of its own, and prints one line for each: {"script", "code", "output"}.

    python3 run_brief_scripts.py MODULE FOLDER

MODULE, a runtime, is imported once, before the processes part. A script that a signal ends has its negative number.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path


def run(script: Path) -> tuple[int, str]:
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = 0
            try:
                runpy.run_path(str(script))
            except BaseException:  # as Python ends a script
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode(errors="replace")


def main() -> None:
    for module in ("numpy", "onnx.parser", sys.argv[1]):
        importlib.import_module(module)
    for script in sorted(Path(sys.argv[2]).glob("*.py")):
        code, output = run(script)
        print(json.dumps({"script": script.stem, "code": code, "output": output}), flush=True)


if __name__ == "__main__":
    main()
