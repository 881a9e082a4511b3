"""The node tests of the onnx package through importer, oracle and writer. Skipped without onnx, or without a build.

All of them with PARALLAX_TEST_ALL=1, else those of a few operators.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build" / os.environ.get("PARALLAX_PRESET", "release") / "cli" / "parallax"

for _package in ("numpy", "onnx", "ml_dtypes"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")
if not PROGRAM.exists():
    raise unittest.SkipTest("the program is not built")

FEW = ("test_scan", "quantizelinear", "test_clip")


class NodeTest(unittest.TestCase):
    def test_recorded_outputs_agree(self) -> None:
        for part in ("",) if os.environ.get("PARALLAX_TEST_ALL") == "1" else FEW:
            command = [sys.executable, ROOT / "bench/onnx_node_tests.py", "--parallax", PROGRAM, "--filter", part]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)  # 1: something disagrees
            imported = re.search(r": (\d+) of (\d+) node tests imported", done.stdout)
            assert imported is not None, done.stdout
            self.assertGreater(int(imported[1]), 0, part)
            self.assertIn("written again: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
