"""python3 adapters MODULE, from a folder that has a module of the same name as a library of Python's."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent


def start(*arguments: str, folder: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "adapters"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


class StartTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        (Path(self.folder) / "json.py").write_text("raise SystemExit('not the library')\n")

    def test_a_module_gets_its_arguments(self) -> None:
        ran = start("install", "--list", "2..1", "torch", folder=self.folder)
        self.assertEqual((ran.returncode, ran.stderr), (3, "error: 2..1 is no range of released versions\n"))

    def test_packages_of_ours_hide_no_library(self) -> None:
        libraries = Path(self.folder) / "libraries"
        libraries.mkdir()
        (libraries / "torch.py").write_text("raise SystemExit('the library')\n")
        with mock.patch.dict(os.environ, {"PYTHONPATH": str(libraries)}):
            self.assertEqual(start("torch.eager", folder=self.folder).stderr, "the library\n")

    def test_what_is_no_module_is_one_line(self) -> None:
        for name in ("torch.nothing", "nothing.eager", "torch", "torch.", ""):
            with self.subTest(name):
                ran = start(name, folder=self.folder)
                line = f"error: {name!r} is no module of adapters/: python3 adapters MODULE, such as torch.eager\n"
                self.assertEqual((ran.returncode, ran.stderr), (2, line))
        self.assertIn("which module?", start(folder=self.folder).stderr)


if __name__ == "__main__":
    unittest.main()
