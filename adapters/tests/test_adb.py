"""A phone that is a folder: what goes over to it, what comes back, and what is said when it does not answer."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from adapters.executorch import phone
from adapters.executorch.phone import RUNNER, Phone, RunnerError
from adapters.worker.system import AdapterError, Stages, UnsupportedError

HERE = Path(__file__).resolve().parent
COPIES_ITS_INPUT = "cp in0.bin out-0.bin; echo it ran"


class FolderCase(unittest.TestCase):
    """A test with a phone and an executor_runner that gives its first input back."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.adb = self.root / "adb"
        self.adb.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "stand_in_adb.py"} "$@"\n')
        self.adb.chmod(0o755)
        self.put_runner(COPIES_ITS_INPUT)
        patch = mock.patch.dict(os.environ, {"STAND_IN_PHONE": str(self.root), "STAND_IN_TROUBLE": ""})
        patch.start()
        self.addCleanup(patch.stop)

    def put_runner(self, script: str) -> None:
        runner = Path(f"{self.root}{RUNNER}")
        runner.parent.mkdir(parents=True, exist_ok=True)
        runner.write_text(f"#!/bin/sh\n{script}\n")
        runner.chmod(0o755)

    def phone(self, serial: str | None = None) -> Phone:
        return Phone(str(self.adb), serial, RUNNER)


class PhoneTest(FolderCase):
    def run_it(self) -> dict[str, bytes]:
        return self.phone().run({"in0.bin": b"abc", "model.pte": b"m"}, RUNNER)

    def complaint(self, trouble: str, device: Phone | None = None) -> str:
        with mock.patch.dict(os.environ, {"STAND_IN_TROUBLE": trouble}), self.assertRaises(AdapterError) as caught:
            (device or self.phone()).check()
        return str(caught.exception)

    def test_files_go_over_and_come_back(self) -> None:
        self.assertEqual(self.phone().check(), "Stand-in")
        self.assertEqual(self.run_it(), {"in0.bin": b"abc", "model.pte": b"m", "out-0.bin": b"abc"})

    def test_nothing_is_left_on_the_phone(self) -> None:
        self.run_it()
        self.put_runner("exit 1")
        with self.assertRaises(RunnerError):
            self.run_it()
        self.assertEqual([path.name for path in Path(f"{self.root}{RUNNER}").parent.iterdir()], ["executor_runner"])

    def test_trouble_is_told_in_adbs_words_and_what_to_do(self) -> None:
        self.assertIn("no devices/emulators found (plug one in", self.complaint("none"))
        self.assertIn("more than one device/emulator (name one", self.complaint("several"))
        self.assertIn("device offline (plug it in again", self.complaint("offline"))
        self.assertIn("device unauthorized. (allow debugging", self.complaint("unauthorized"))
        self.assertIn("device 'nobody' not found", self.complaint("", self.phone("nobody")))
        self.assertIn("there is no '/no/adb' here", self.complaint("", Phone("/no/adb", None, RUNNER)))
        self.assertIn(
            "no executable /data/elsewhere", self.complaint("", Phone(str(self.adb), None, "/data/elsewhere"))
        )

    def test_a_serial_picks_one_of_several(self) -> None:
        with mock.patch.dict(os.environ, {"STAND_IN_TROUBLE": "several"}):
            self.assertEqual(self.phone("emulator-5554").check(), "Stand-in")

    def test_a_phone_that_is_silent_or_breaks_off_is_nobodys_finding(self) -> None:
        with mock.patch.object(phone, "ADB_SECONDS", 1):
            self.assertEqual(self.complaint("slow"), "adb get-state: no answer within 1 s")
        with mock.patch.dict(os.environ, {"STAND_IN_TROUBLE": "dies"}), self.assertRaises(AdapterError) as caught:
            self.run_it()
        self.assertIn("broke off", str(caught.exception))

    def test_a_runner_that_dies_is_an_error_of_its_own(self) -> None:
        endings = {
            "kill -SEGV $$": "executor_runner: SIGSEGV",
            "exit 3": "executor_runner: exit 3",
            "echo 'E runner.cpp:9] Execution of method forward failed with status 0x14'; kill -ABRT $$": (
                "executor_runner: error: 0x14"
            ),
        }
        for script, words in endings.items():
            self.put_runner(script)
            with self.subTest(script), self.assertRaises(RunnerError) as caught:
                self.run_it()
            self.assertEqual(str(caught.exception), words)

    def test_a_runner_that_hangs_is_stopped(self) -> None:
        self.put_runner("exec sleep 60")
        with mock.patch.object(phone, "RUN_SECONDS", 1), self.assertRaisesRegex(RunnerError, "nothing within 1 s"):
            self.run_it()


GRAPH: dict[str, Any] = {
    "inputs": {"x": {"type": "f32[2,3]"}, "y": {"type": "i64[3]"}},
    "nodes": [
        {"out": "a", "op": "aten.add_.Tensor", "args": ["%x", "%y"]},
        {"out": "b", "op": "aten.t.default", "args": ["%a"]},
        {"out": "c", "op": "aten.sum.default", "args": ["%y"]},
    ],
    "outputs": ["%b", "%c"],
}
FEED = {"x": [1, 2, 3, 4, 5, 6], "y": [10, 20, 30]}


@unittest.skipIf(importlib.util.find_spec("executorch") is None, "this Python has no ExecuTorch")
class RunTest(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        for name in ("RUN_SECONDS", "ADB_SECONDS"):  # Python is slower to start than the runner
            patch = mock.patch.object(phone, name, 600)
            patch.start()
            self.addCleanup(patch.stop)
        self.put_runner(f'exec {sys.executable} {HERE / "stand_in_runner.py"} "$@"')

    def test_a_case_goes_through_the_phone_and_is_kept(self) -> None:
        from adapters.executorch import adb
        from adapters.torch.tensors import decode, parse_type

        keep = self.root / "kept"
        system = adb.make([f"--adb={self.adb}", f"--keep={keep}"])
        self.assertEqual((system.hello()["name"], system.hello()["versions"]["device"]), ("adb", "Stand-in"))
        reply = system.run({"case": {"graph": GRAPH, "feed": FEED}}, Stages())
        found = [decode(e["data"], *parse_type(e["type"])).tolist() for e in [*reply["outputs"], reply["inputs"]["x"]]]
        self.assertEqual(found, [[[11, 14], [22, 25], [33, 36]], 60, [[11, 22, 33], [14, 25, 36]]])
        (kept,) = keep.iterdir()
        names = {"model.pte", "in0.bin", "in1.bin", "expected-0.bin", "expected-1.bin", "command"}
        self.assertEqual({path.name for path in kept.iterdir()}, names)
        # The command line that is kept does what it says, and what is expected is what comes out.
        copy = self.root / "copy"
        shutil.copytree(kept, copy)
        line = (copy / "command").read_text().replace("executor_runner", f"{self.root}{RUNNER}", 1)
        self.assertEqual(os.system(f"cd {copy} && {line}"), 0)
        for i in range(2):
            self.assertEqual((copy / f"expected-{i}.bin").read_bytes(), (copy / f"out-{i + 1}.bin").read_bytes())

    def test_written_state_is_not_taken(self) -> None:
        from adapters.executorch import adb

        graph = {
            "inputs": {"x": {"type": "f32[2]"}},
            "buffers": {"s": {"type": "f32[2]", "data": [1, 2]}},
            "nodes": [{"out": "a", "op": "aten.add_.Tensor", "args": ["%s", "%x"]}],
            "outputs": ["%a"],
        }
        with self.assertRaisesRegex(UnsupportedError, "starts anew"):
            adb.make([f"--adb={self.adb}"]).run({"case": {"graph": graph, "feed": {"x": [1, 2]}}}, Stages())

    def test_no_phone_is_one_line(self) -> None:
        from adapters.executorch import adb

        with mock.patch.dict(os.environ, {"STAND_IN_TROUBLE": "none"}), self.assertRaises(SystemExit) as caught:
            adb.make([f"--adb={self.adb}"])
        self.assertIn("no devices/emulators found", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
