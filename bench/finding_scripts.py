"""Runs the scripts that `parallax fuzz` kept with its findings, each in a fresh process of its system's environment.

    python bench/finding_scripts.py FINDINGS… [--json]

A script is to exit with 1, or to be ended by a signal where its system crashes, and with 0 where eager takes the
target's place. The exit code is 1 if one does otherwise, and 2 if there is none. Findings without a script, or whose
system is not installed, are counted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))

from adapters.install import python_of, read_catalogue
from adapters.tests.run_scripts import DRIVEN

SECONDS = 300


def exit_code(python: Path, script: Path) -> int | None:
    """Nothing where it does not end in time."""
    try:
        # A signal is told from an exit code by its sign.
        return subprocess.run(
            [python, script.name], cwd=script.parent, capture_output=True, check=False, timeout=SECONDS
        ).returncode
    except subprocess.TimeoutExpired:
        return None


def with_eager(python: Path, script: Path) -> int | None:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / script.name
        copy.write_text(script.read_text().replace(DRIVEN, DRIVEN.replace("target", "eager")))
        return exit_code(python, copy)


def row_of(folder: Path, python: Path) -> dict[str, Any]:
    finding = json.loads((folder / "finding.json").read_text())
    script = folder / "repro.py"
    row = {"finding": finding["id"], "target": finding["target"], "verdict": finding["verdict"]}
    row["code"] = exit_code(python, script)
    ended = row["code"] is not None and row["code"] < 0
    row["right"] = row["code"] == 1 or (ended and finding["verdict"] == "crash")
    if DRIVEN in script.read_text():
        row["with_eager"] = with_eager(python, script)
        row["right"] = row["right"] and row["with_eager"] == 0
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("findings", type=Path, nargs="+", help="a folder of findings")
    parser.add_argument("--json", action="store_true", help="one object a script, instead of a table")
    arguments = parser.parse_args()
    catalogue = read_catalogue()
    rows: list[dict[str, Any]] = []
    without = elsewhere = 0
    for file in sorted(file for findings in arguments.findings for file in findings.glob("*/finding.json")):
        if not (file.parent / "repro.py").exists():
            without += 1
            continue
        finding = json.loads(file.read_text())
        pythons = (python_of(catalogue, finding["target"], version) for version in finding["versions"].values())
        python = next((one for one in pythons if one is not None), None)
        if python is None:
            elsewhere += 1
            continue
        row = row_of(file.parent, python)
        rows.append(row)
        line = f"{row['finding']}  {row['target']:24}  exit {row['code']}"
        if "with_eager" in row:
            line += f", with eager {row['with_eager']}"
        print(json.dumps(row) if arguments.json else line + ("" if row["right"] else "  WRONG"), flush=True)
    right = sum(row["right"] for row in rows)
    print(
        f"{right} of {len(rows)} scripts as they should be; {without} findings without a script, "
        f"{elsewhere} of systems that are not installed",
        file=sys.stderr,
    )
    return 2 if not rows else int(right < len(rows))


if __name__ == "__main__":
    sys.exit(main())
