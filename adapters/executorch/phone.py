"""A phone behind Android's adb: files there, a command in a fresh folder, files back. Standard library only.

A phone that is away or does not answer is an AdapterError, in adb's own words; what dies on the phone is a RunnerError.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from adapters.worker.system import AdapterError

RUNNER = "/data/local/tmp/executor_runner"
FOLDER = "/data/local/tmp/parallax"
RUN_SECONDS, ADB_SECONDS = 30, 60  # of a run on the phone, and of any one command of adb
EXIT = "parallax-exit"  # printed before the exit status: old phones do not hand it on

# What the runner says before it aborts: "Execution of method forward failed with status 0x12".
_STATUS = re.compile(r"status (0x[0-9a-fA-F]+)")

_HINTS = {
    "more than one device": "name one of `adb devices` with ?serial=",
    "no devices": "plug one in, and allow debugging on it",
    "unauthorized": "allow debugging on it",
    "offline": "plug it in again",
}


class RunnerError(Exception):
    """executor_runner failed on the phone."""


@dataclass
class Phone:
    """One device behind adb."""

    adb: str
    serial: str | None
    runner: str
    _runs: int = field(default=0, init=False)

    def call(self, *words: str) -> str:
        """What a command of adb prints, or AdapterError."""
        command = [self.adb, *(["-s", self.serial] if self.serial else []), *words]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=ADB_SECONDS)
        except FileNotFoundError:
            raise AdapterError(f"there is no {self.adb!r} here: it comes with Android's platform-tools") from None
        except subprocess.TimeoutExpired:
            raise AdapterError(f"adb {words[0]}: no answer within {ADB_SECONDS} s") from None
        if done.returncode != 0:
            raise AdapterError(f"adb {words[0]}: {_complaint(done.stderr or done.stdout)}")
        return done.stdout

    def shell(self, command: str) -> tuple[int, str]:
        """The exit status of a command on the phone, and what it printed."""
        text, mark, status = self.call("shell", f"{command} 2>&1; echo {EXIT} $?").rpartition(EXIT)
        if not mark or not status.strip().isdigit():
            raise AdapterError("adb shell: the connection broke off before the command had ended")
        return int(status), text

    def check(self) -> str:
        """The phone's model; AdapterError where it cannot run anything."""
        state = self.call("get-state").strip()
        if state != "device":
            raise AdapterError(f"adb get-state: the device is {state!r}")
        if self.shell(f"test -x {shlex.quote(self.runner)}")[0] != 0:
            raise AdapterError(f"the phone has no executable {self.runner}; another place is named with ?runner=")
        return self.shell("getprop ro.product.model")[1].strip() or "unknown"

    def run(self, files: dict[str, bytes], command: str) -> dict[str, bytes]:
        """The files that are there after a command in a fresh folder that holds these."""
        self._runs += 1
        remote = f"{FOLDER}-{os.getpid()}-{self._runs}"
        with tempfile.TemporaryDirectory() as name:
            before, after = Path(name) / "before", Path(name) / "after"
            before.mkdir()
            for file, data in files.items():
                (before / file).write_bytes(data)
            self.call("push", str(before), remote)
            try:
                status, text = self.shell(f"cd {remote} && timeout {RUN_SECONDS} {command}")
                sys.stderr.write(text)  # the tail goes into the report
                if status != 0:
                    raise RunnerError(_death(status, text))
                self.call("pull", remote, str(after))
            finally:
                self.shell(f"rm -rf {remote}")
            return {file.name: file.read_bytes() for file in after.iterdir()}


def _complaint(text: str) -> str:
    """adb's last line, and what can be done about it."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else "it failed and said nothing"
    hint = next((hint for words, hint in _HINTS.items() if words in last), None)
    return f"{last} ({hint})" if hint else last


def _death(status: int, text: str) -> str:
    """How the runner ended, in the words of the runtime's own exceptions where it says an error code."""
    if status == 124:  # of `timeout`
        return f"executor_runner: nothing within {RUN_SECONDS} s"
    code = _STATUS.search(text)
    if code:
        return f"executor_runner: error: {code.group(1)}"
    number = status - 128
    named = signal.Signals(number).name if number in signal.valid_signals() else f"exit {status}"
    return f"executor_runner: {named}"
