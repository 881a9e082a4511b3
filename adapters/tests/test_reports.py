"""What replay writes for other programs, held to their schemas.

Runs where PARALLAX_BINARY names the built program; for SARIF where jsonschema is installed and PARALLAX_SARIF_SCHEMA
names OASIS's sarif-schema-2.1.0.json, for JUnit where lxml is installed and PARALLAX_JUNIT_SCHEMA names a schema of
JUnit's reports, as junit-10.xsd of Jenkins's xunit plugin.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("PARALLAX_BINARY", "")
SARIF_SCHEMA = os.environ.get("PARALLAX_SARIF_SCHEMA", "")
JUNIT_SCHEMA = os.environ.get("PARALLAX_JUNIT_SCHEMA", "")

HOSTILE_NAME = '"><script>\u0001]]>&'


def installed(module: str) -> bool:
    """Whether a module could be imported."""
    return importlib.util.find_spec(module) is not None


@unittest.skipUnless(BINARY, "PARALLAX_BINARY names no program")
class SchemaTest(unittest.TestCase):
    """A replay in which some cases match and some, of a hostile name too, diverge."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        seeds = ROOT / "corpus" / "cases" / "seeds"
        case = json.loads((seeds / "s1-numeric-clone.json").read_text())
        case["name"] = HOSTILE_NAME
        (self.folder / "a case.json").write_text(json.dumps(case))
        command = [BINARY, "replay", str(self.folder / "a case.json"), str(seeds), "--target", "portable"]
        command += [
            "--plant",
            "F01",
            "--sarif",
            str(self.folder / "out.sarif"),
            "--junit",
            str(self.folder / "out.xml"),
        ]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1, ran.stderr)

    @unittest.skipUnless(SARIF_SCHEMA and installed("jsonschema"), "no schema of SARIF, or no jsonschema")
    def test_sarif_is_valid(self) -> None:
        import jsonschema

        document = json.loads((self.folder / "out.sarif").read_text())
        self.assertTrue(document["runs"][0]["results"])
        schema = json.loads(Path(SARIF_SCHEMA).read_text())
        jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(document)

    @unittest.skipUnless(JUNIT_SCHEMA and installed("lxml"), "no schema of JUnit, or no lxml")
    def test_junit_is_valid(self) -> None:
        from lxml import etree

        document = etree.parse(str(self.folder / "out.xml"))
        names = [case.get("name") for case in document.iter("testcase")]
        self.assertIn(HOSTILE_NAME.replace("\u0001", "\ufffd"), names)
        etree.XMLSchema(etree.parse(JUNIT_SCHEMA)).assertValid(document)


if __name__ == "__main__":
    unittest.main()
