"""Makes the virtual environments that targets run in: python3 adapters install NAME[@VERSION]…

NAME is a family ("executorch") or a target ("executorch-xnnpack"); adapters/targets.json says which is which, and pins
the versions. An environment lies in .targets/FAMILY-VERSION. A file in it, written last, marks it as complete: one
without the mark was interrupted and is made anew, one with it is left alone. Standard library only.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADAPTERS = Path(__file__).resolve().parent
MARK = "parallax-complete.json"

Catalogue = dict[str, Any]
Run = Callable[[list[str]], tuple[int, str]]  # a command's exit status and what it wrote


def environments() -> Path:
    """Where environments are kept: a package names a folder of the user, since its own may be replaced or read-only."""
    folder = os.environ.get("PARALLAX_ENVIRONMENTS")
    return Path(folder) if folder else ADAPTERS.parent / ".targets"


class InstallError(Exception):
    """One line for a person."""


def read_catalogue() -> Catalogue:
    return json.loads((ADAPTERS / "targets.json").read_text())


def resolve(catalogue: Catalogue, spec: str) -> tuple[str, str, list[str]]:
    """The family, its version and what pip is to install for NAME[@VERSION]."""
    name, _, version = spec.partition("@")
    if name not in catalogue["families"]:
        if name not in catalogue["targets"]:
            known = ", ".join([*catalogue["families"], *catalogue["targets"]])
            raise InstallError(f"nothing is called {name!r}; there are {known}")
        name = catalogue["targets"][name]["families"][0]
    family = catalogue["families"][name]
    version = version or family["version"]
    pins = family["pins"].get(version) or [pin.format(version=version) for pin in family["unpinned"]]
    return name, version, pins


def python_of(catalogue: Catalogue, target: str, version: str) -> Path | None:
    """Of an installed environment in which the target has that version of its system: its family's own, one whose pins
    have the version (TensorFlow's has LiteRT), or another family's that is pinned to it (ExecuTorch's has its torch).
    Nothing for a target of ours, which needs none."""
    name = target.partition("?")[0].partition("@")[0]
    if name not in catalogue["targets"]:
        return None
    families = catalogue["targets"][name]["families"]
    folders = [f"{families[0]}-{version}"]
    own = catalogue["families"][families[0]]["pins"].items()
    folders += [f"{families[0]}-{one}" for one, pins in own if any(pin.endswith(f"=={version}") for pin in pins)]
    for family in families[1:]:
        pinned = catalogue["families"][family]["pins"].items()
        folders += [f"{family}-{one}" for one, pins in pinned if f"{families[0]}=={version}" in pins]
    pythons = [environments() / folder / "bin" / "python" for folder in folders]
    return next((python for python in pythons if python.exists()), None)


def run_command(command: list[str]) -> tuple[int, str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def last_error(output: str) -> str:
    """pip's own last word: its last ERROR line, else its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["no output"])[-1]


def release(version: str) -> tuple[int, ...] | None:
    """The numbers of a released version, None for one that is a candidate, a nightly or something else."""
    return tuple(int(part) for part in version.split(".")) if re.fullmatch(r"\d+(\.\d+)*", version) else None


def released(catalogue: Catalogue, name: str, low: str, high: str, run: Run = run_command) -> list[str]:
    """The released versions of NAME's family that lie in low..high, oldest first, as the package index has them."""
    bounds = release(low), release(high)
    if None in bounds or bounds[0] > bounds[1]:
        raise InstallError(f"{low}..{high} is no range of released versions")
    family, _, pins = resolve(catalogue, f"{name}@{low}")
    package = next(pin for pin in [*catalogue["families"][family]["unpinned"], *pins] if "==" in pin).split("==")[0]
    status, output = run([sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"])
    if status != 0:
        raise InstallError(f"{package}: pip failed: {last_error(output)}")
    listed = re.search(r"^Available versions: (.*)$", output, re.MULTILINE)
    if not listed:
        raise InstallError(f"{package}: pip lists no versions")
    numbers = {text: release(text) for text in listed.group(1).split(", ")}
    inside = [text for text, parts in numbers.items() if parts is not None and bounds[0] <= parts <= bounds[1]]
    return sorted(inside, key=lambda text: numbers[text] or ())


def make_environment(folder: Path) -> None:
    """An empty virtual environment there, in place of an unfinished one."""
    shutil.rmtree(folder, ignore_errors=True)
    venv.create(folder, with_pip=True, symlinks=True)


def install(
    root: Path,
    family: str,
    version: str,
    pins: list[str],
    run: Run = run_command,
    make: Callable[[Path], None] = make_environment,
) -> Path:
    """The folder of a complete environment, made if it is not there."""
    folder = root / f"{family}-{version}"
    mark = folder / MARK
    if mark.exists():
        print(f"{folder.name}: already installed", flush=True)
        return folder
    print(f"{folder.name}: installing {' '.join(pins)} (some minutes)", flush=True)
    try:
        make(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        raise InstallError(f"{folder.name}: cannot make a virtual environment: {error}") from error
    python = str(folder / "bin" / "python")
    status, output = run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", *pins]
    )
    if status != 0:
        raise InstallError(f"{folder.name}: pip failed: {last_error(output)}")
    mark.write_text(json.dumps({"family": family, "version": version, "pins": pins}) + "\n")
    print(f"{folder.name}: installed", flush=True)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description="Installs the systems that targets drive.")
    parser.add_argument("names", nargs="+", metavar="NAME[@VERSION]")
    parser.add_argument("--root", type=Path, default=environments(), help="where the environments go")
    parser.add_argument("--list", metavar="A..B", help="print the released versions in that range, and install nothing")
    options = parser.parse_args()
    try:
        catalogue = read_catalogue()
        if options.list:
            low, _, high = options.list.partition("..")
            print(json.dumps(released(catalogue, options.names[0], low, high)))
            return 0
        for spec in options.names:
            install(options.root, *resolve(catalogue, spec))
    except InstallError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
