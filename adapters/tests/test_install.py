"""Which environment a name means, and that a half-made one is made anew while a complete one is left alone."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from adapters import install


class InstallTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.commands: list[list[str]] = []
        self.outcome = (0, "")

    def install(self, spec: str) -> Path:
        def run(command: list[str]) -> tuple[int, str]:
            self.commands.append(command)
            return self.outcome

        def make(folder: Path) -> None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "made").write_text(str(len(self.commands)))

        with contextlib.redirect_stdout(io.StringIO()):
            return install.install(self.root, *install.resolve(install.read_catalogue(), spec), run=run, make=make)

    def test_names(self) -> None:
        catalogue = install.read_catalogue()
        rows = {
            "executorch": ("executorch", "1.4.1", ["torch==2.13.0", "executorch==1.4.1"]),
            "executorch-xnnpack": ("executorch", "1.4.1", ["torch==2.13.0", "executorch==1.4.1"]),
            "executorch-portable@9.9": ("executorch", "9.9", ["executorch==9.9"]),
            "torch": ("torch", "2.13.0", ["torch==2.13.0"]),
            "pytorch-eager": ("torch", "2.13.0", ["torch==2.13.0"]),
            "thunder": ("thunder", "0.2.6", ["torch==2.13.0", "lightning-thunder==0.2.6"]),
            "coreml@8.3": ("coreml", "8.3", ["torch", "coremltools==8.3"]),
            "torch@2.12.0": ("torch", "2.12.0", ["torch==2.12.0"]),
        }
        for spec, wanted in rows.items():
            self.assertEqual(install.resolve(catalogue, spec), wanted)
        with self.assertRaisesRegex(install.InstallError, "nothing is called 'nosuch'"):
            install.resolve(catalogue, "nosuch@1")

    def test_a_complete_environment_is_left_alone(self) -> None:
        folder = self.install("torch")
        self.install("torch")
        self.assertEqual(len(self.commands), 1)
        self.assertIn("torch==2.13.0", self.commands[0])
        self.assertTrue((folder / install.MARK).exists())

    def test_a_failed_installation_says_why_and_is_made_anew(self) -> None:
        self.outcome = (1, "Looking\nERROR: No matching distribution found for torch==2.13.0\n")
        with self.assertRaisesRegex(install.InstallError, "^torch-2.13.0: pip failed: ERROR: No matching distribution"):
            self.install("torch")
        self.assertFalse((self.root / "torch-2.13.0" / install.MARK).exists())
        self.outcome = (0, "")
        folder = self.install("torch")
        self.assertEqual((folder / "made").read_text(), "1")

    def test_released_versions_of_a_range(self) -> None:
        listed = "1.10.0, 1.9.2, 1.9.2rc1, 1.9.2.dev3, 1.4.1, 1.4"
        answer = f"executorch (1.4.1)\nAvailable versions: {listed}\n  LATEST: 1.10.0\n"

        def run(command: list[str]) -> tuple[int, str]:
            self.commands.append(command)
            return 0, answer

        catalogue = install.read_catalogue()
        found = install.released(catalogue, "executorch-xnnpack", "1.4.1", "1.10.0", run)
        self.assertEqual(found, ["1.4.1", "1.9.2", "1.10.0"])
        self.assertIn("executorch", self.commands[0])
        self.assertEqual(install.released(catalogue, "executorch", "1.4", "1.9.0", run), ["1.4", "1.4.1"])
        with self.assertRaisesRegex(install.InstallError, "2.0..1.0 is no range"):
            install.released(catalogue, "executorch", "2.0", "1.0", run)
        with self.assertRaisesRegex(install.InstallError, "lists no versions"):
            install.released(catalogue, "executorch", "1.0", "2.0", lambda _: (0, "nothing"))

    def test_an_unfinished_environment_is_cleared_first(self) -> None:
        folder = self.root / "old"
        (folder / "left").mkdir(parents=True)
        install.make_environment(folder)
        self.assertFalse((folder / "left").exists())
        self.assertTrue((folder / "bin" / "python").exists())


if __name__ == "__main__":
    unittest.main()
