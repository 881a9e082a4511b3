"""The known bugs of bugs/recall.jsonl: docs/recall.md is what the data give, and each case has its control."""

from __future__ import annotations

import importlib.util
import json
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "corpus" / "cases" / "recall"


def script() -> ModuleType:
    """bench/recall_page.py, which is no package's module."""
    spec = importlib.util.spec_from_file_location("recall_page", ROOT / "bench" / "recall_page.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class RecallTest(unittest.TestCase):
    """The data file against the page, the cases and the rule."""

    def setUp(self) -> None:
        self.script = script()
        self.entries: list[dict[str, Any]] = self.script.read_entries()

    def test_the_page_is_generated_from_the_data(self) -> None:
        self.assertEqual(self.script.PAGE.read_text(), self.script.page(self.entries))

    def test_a_thread_counts_once(self) -> None:
        threads = [url for entry in self.entries for url in [entry["issue"], *entry["also"]]]
        self.assertEqual(len(threads), len(set(threads)))

    def test_each_case_names_its_thread_and_differs_from_its_control(self) -> None:
        for entry in self.entries:
            if entry["case"] is None:
                continue
            case = json.loads((ROOT / entry["case"]).read_text())
            control = json.loads((ROOT / entry["control"]).read_text())
            # As text, in which 0 and -0 differ.
            said = [json.dumps([one["graph"], one.get("feed"), one.get("runs")]) for one in (case, control)]
            self.assertNotEqual(*said, entry["id"])
            if (ROOT / entry["case"]).parent == CASES:
                self.assertEqual(case["origin"]["issue"], entry["issue"])
                self.assertEqual(case["origin"]["version"], entry["version"])

    def test_no_case_is_left_out(self) -> None:
        named = {Path(entry[key]).name for entry in self.entries for key in ("case", "control") if entry[key]}
        self.assertEqual({path.name for path in CASES.iterdir()} - named, set())
        self.assertGreater(len(self.entries), 0)

    def test_a_miss_has_its_reason_and_a_judged_one_has_none(self) -> None:
        for entry in self.entries:
            missed = self.script.group_of(entry) == "missed"
            self.assertEqual(missed, entry["missed"] is not None, entry["id"])


if __name__ == "__main__":
    unittest.main()
