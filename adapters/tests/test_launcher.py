"""The package's launcher: where a user's environments lie, and what a user set is kept."""

from __future__ import annotations

import importlib.util
import unittest
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[2] / "python" / "parallax"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"parallax_{name}", FOLDER / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LauncherTest(unittest.TestCase):
    launcher = load("launcher")

    def test_environments_are_kept_in_the_users_data(self) -> None:
        self.assertEqual(
            self.launcher.environments({"HOME": "/home/ada"}), Path("/home/ada/.local/share/parallax/targets")
        )
        self.assertEqual(
            self.launcher.environments({"HOME": "/home/ada", "XDG_DATA_HOME": "/data"}), Path("/data/parallax/targets")
        )

    def test_the_program_is_told_its_folders(self) -> None:
        variables = self.launcher.variables_for({"HOME": "/home/ada", "PATH": "/bin"})
        self.assertEqual(variables["PARALLAX_ROOT"], str(FOLDER / "data"))
        self.assertEqual(variables["PARALLAX_ENVIRONMENTS"], "/home/ada/.local/share/parallax/targets")
        self.assertEqual(variables["PATH"], "/bin")

    def test_what_the_user_set_is_kept(self) -> None:
        variables = self.launcher.variables_for({"HOME": "/home/ada", "PARALLAX_ROOT": "/src/parallax"})
        self.assertEqual(variables["PARALLAX_ROOT"], "/src/parallax")


if __name__ == "__main__":
    unittest.main()
