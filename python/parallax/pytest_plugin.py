"""Cases as tests: `pytest --parallax cases/` judges every case file that it finds, on --parallax-target.

A test fails where the case diverges, with the text that `parallax check` prints, and is skipped where the target cannot
be run.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from parallax.launcher import PROGRAM, variables_for

DIVERGED = 1
COULD_NOT_RUN = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("parallax")
    group.addoption("--parallax", action="store_true", help="collect Parallax cases (.json) as tests")
    group.addoption(
        "--parallax-target",
        action="append",
        default=[],
        metavar="TARGET",
        help="what to run cases on (see parallax targets); repeatable; default: portable",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not parent.config.getoption("--parallax") or file_path.suffix != ".json" or not is_case(file_path):
        return None
    return CaseFile.from_parent(parent, path=file_path)


def is_case(path: Path) -> bool:
    """Whether it is a case: other JSON files may lie beside them."""
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and "parallax" in document


class CaseFile(pytest.File):
    """A case file: a test for each target."""

    def collect(self) -> Iterator[pytest.Item]:
        for target in self.config.getoption("--parallax-target") or ["portable"]:
            yield CaseTest.from_parent(self, name=target)


class CaseTest(pytest.Item):
    """A case on a target."""

    def runtest(self) -> None:
        done = check(self.path, self.name)
        if done.returncode == COULD_NOT_RUN:
            pytest.skip(done.stderr.strip())
        if done.returncode != 0:
            raise CaseError(done.stdout if done.returncode == DIVERGED else done.stderr)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        if isinstance(excinfo.value, CaseError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.name} on {self.name}"


class CaseError(Exception):
    """What `parallax check` said."""


def program() -> tuple[list[str], dict[str, str]]:
    """The program to call, and its environment variables: the wheel's, else the one on the path."""
    if PROGRAM.exists():
        return [str(PROGRAM)], variables_for(os.environ)
    found = shutil.which("parallax")
    if not found:
        raise pytest.UsageError("parallax is not on the path")
    return [found], dict(os.environ)


def check(case: Path, target: str) -> subprocess.CompletedProcess[str]:
    command, variables = program()
    return subprocess.run(
        [*command, "check", str(case), "--target", target], capture_output=True, text=True, check=False, env=variables
    )
