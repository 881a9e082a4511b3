"""The bugs that were found in released systems: each has its case, control, script and page, and still shows.

The scripts run where the environment of the system and version is installed, and with PARALLAX_TEST_ALL=1 alone: they
take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from adapters.install import python_of, read_catalogue

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "corpus" / "cases" / "found"
BUGS = ROOT / "bugs"
CATALOGUE = read_catalogue()
SECONDS = 300


def names() -> list[str]:
    return sorted(file.stem for file in CASES.glob("*.json") if not file.stem.endswith("-control"))


def ended(command: list[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)


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
        runs: dict[str, list[str | Path]] = {}
        for name in names():
            origin = json.loads((CASES / f"{name}.json").read_text())["origin"]
            python = python_of(CATALOGUE, origin["target"], origin["version"])
            script = BUGS / f"{name}.py"
            if python is not None and script.exists():
                runs[name] = [python, script]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, ran in zip(runs, pool.map(ended, runs.values()), strict=True):
                with self.subTest(name):
                    self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
                    self.assertNotIn(f'{name}.py"', ran.stderr)  # an exception that is its own would end with 1 too
        print(f"{len(runs)} of {len(names())} bugs have a script whose system is installed")


if __name__ == "__main__":
    unittest.main()
