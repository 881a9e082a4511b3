"""The bugs that were found in released systems: each has its case, control, script and page, and still shows.

The scripts run where the environment of the system and version is installed, and with PARALLAX_TEST_ALL=1 alone: they
take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "corpus" / "cases" / "found"
BUGS = ROOT / "bugs"
CATALOGUE = json.loads((ROOT / "adapters" / "targets.json").read_text())
SECONDS = 300


def interpreter(case: dict[str, object]) -> Path | None:
    """Of an installed environment with the system and version that a case was found in: a family's own, or another
    family's of the target that is pinned to it (ExecuTorch's has its torch)."""
    origin = case["origin"]
    assert isinstance(origin, dict)
    name = str(origin["target"]).partition("?")[0].partition("@")[0]
    if name not in CATALOGUE["targets"]:
        return None  # one of our own, which needs none
    families = CATALOGUE["targets"][name]["families"]
    pin = f"{families[0]}=={origin['version']}"
    folders = [f"{families[0]}-{origin['version']}"]
    for family in families[1:]:
        folders += [
            f"{family}-{version}" for version, pins in CATALOGUE["families"][family]["pins"].items() if pin in pins
        ]
    pythons = [ROOT / ".targets" / folder / "bin" / "python" for folder in folders]
    return next((python for python in pythons if python.exists()), None)


def names() -> list[str]:
    return sorted(file.stem for file in CASES.glob("*.json") if not file.stem.endswith("-control"))


class FoundTest(unittest.TestCase):
    def test_each_has_a_control_a_page_and_a_script(self) -> None:
        self.assertTrue(names())
        for name in names():
            with self.subTest(name):
                case = json.loads((CASES / f"{name}.json").read_text())
                control = json.loads((CASES / f"{name}-control.json").read_text())
                self.assertEqual(case["name"], name)
                said = ("graph", "feed", "runs", "grad")
                self.assertNotEqual([case.get(key) for key in said], [control.get(key) for key in said])
                for key in ("target", "version", "signature"):
                    self.assertIn(key, case["origin"])
                self.assertTrue((BUGS / f"{name}.md").exists(), "no page")
                self.assertTrue(list(BUGS.glob(f"{name}.py")) + list(BUGS.glob(f"{name}.cpp")), "no script")

    @unittest.skipUnless(os.environ.get("PARALLAX_TEST_ALL") == "1", "runs with --all")
    def test_each_script_shows_its_bug(self) -> None:
        for name in names():
            python = interpreter(json.loads((CASES / f"{name}.json").read_text()))
            script = BUGS / f"{name}.py"
            if python is None or not script.exists():
                continue
            with self.subTest(name):
                ran = subprocess.run([python, script], capture_output=True, text=True, check=False, timeout=SECONDS)
                self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
                self.assertNotIn(f'{script.name}"', ran.stderr)  # an exception that is its own would end with 1 too


if __name__ == "__main__":
    unittest.main()
