"""Options of an adapter: what they set, and what is said of one that is not there."""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from adapters.worker.switches import Switch, UsageError, declared, parse

SWITCHES = (Switch("optimization", ("all", "basic", "none")), Switch("arena", ("on", "off")))


class SwitchTest(unittest.TestCase):
    def test_what_is_left_out_is_at_its_default(self) -> None:
        self.assertEqual(parse([], SWITCHES), {"optimization": "all", "arena": "on"})
        self.assertEqual(parse(["--arena=off"], SWITCHES), {"optimization": "all", "arena": "off"})

    def test_a_greeting_lists_values_the_default_first(self) -> None:
        self.assertEqual(declared(SWITCHES), {"optimization": ["all", "basic", "none"], "arena": ["on", "off"]})

    def test_an_unknown_option_names_itself_and_its_neighbours(self) -> None:
        for arguments, words in (
            (
                ["--optimisation=all"],
                "there is no option optimisation: is it optimization? there are optimization, arena",
            ),
            (["--arena=of"], "option arena has no value 'of': is it off? there are on, off"),
            (["--arena"], "option arena has no value '': there are on, off"),
            (["nonsense"], "there is no option nonsense: there are optimization, arena"),
        ):
            with self.subTest(arguments=arguments), self.assertRaises(UsageError) as raised:
                parse(arguments, SWITCHES)
            self.assertEqual(str(raised.exception), words)
        with self.assertRaisesRegex(UsageError, "there is no option x: there are none"):
            parse(["--x=1"], ())

    def test_a_worker_ends_with_that_line(self) -> None:
        program = "from adapters.worker import loop, switches; loop.serve(lambda given: switches.parse(given, ()))"
        command = [sys.executable, "-c", program, "--level=1"]
        folder = Path(__file__).resolve().parent.parent.parent
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "there is no option level: there are none\n")


if __name__ == "__main__":
    unittest.main()
