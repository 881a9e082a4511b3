"""The pytest plugin: which files are cases, and what the program's exit codes become."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from importlib.util import find_spec
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2] / "python"

# In the place of the program: it diverges on a case called wrong, and cannot run the target "absent".
STAND_IN = """#!/bin/sh
case "$*" in
  *absent*) echo "parallax: target absent is not installed" >&2; exit 3 ;;
  *wrong*) echo "portable · mismatch"; exit 1 ;;
  *broken*) echo "parallax: broken.json: no op" >&2; exit 2 ;;
esac
"""


@unittest.skipUnless(find_spec("pytest"), "pytest is not installed")
class PytestPluginTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "bin" / "parallax"
        program.parent.mkdir()
        program.write_text(STAND_IN)
        program.chmod(0o755)
        self.cases = self.folder / "cases"
        self.cases.mkdir()
        self.write("right.json", '{"parallax": 1}')
        self.write("other.json", '{"version": 3}')
        self.write("list.json", "[]")

    def write(self, name: str, text: str) -> None:
        (self.cases / name).write_text(text)

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(PACKAGES),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        command = [sys.executable, "-m", "pytest", "-p", "parallax.pytest_plugin", "-q", "-rs"]
        return subprocess.run(
            [*command, *arguments], cwd=self.folder, env=variables, capture_output=True, text=True, check=False
        )

    def test_each_case_is_a_test_and_other_files_are_none(self) -> None:
        done = self.pytest("--parallax", "cases")
        self.assertIn("1 passed", done.stdout, done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_without_the_option_nothing_is_collected(self) -> None:
        self.assertIn("no tests ran", self.pytest("cases").stdout)

    def test_a_divergence_fails_with_its_text(self) -> None:
        self.write("wrong.json", '{"parallax": 1}')
        self.write("broken.json", '{"parallax": 1}')
        done = self.pytest("--parallax", "cases")
        self.assertIn("2 failed, 1 passed", done.stdout)
        self.assertIn("portable · mismatch", done.stdout)
        self.assertIn("parallax: broken.json: no op", done.stdout)

    def test_a_target_that_cannot_be_run_is_skipped(self) -> None:
        done = self.pytest("--parallax", "cases", "--parallax-target", "absent", "--parallax-target", "portable")
        self.assertIn("1 passed, 1 skipped", done.stdout)
        self.assertIn("target absent is not installed", done.stdout)


if __name__ == "__main__":
    unittest.main()
