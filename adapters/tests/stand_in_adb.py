#!/usr/bin/env python3
"""Stands in for adb: the phone is the folder STAND_IN_PHONE, whose paths begin at /data there. STAND_IN_TROUBLE says
what goes wrong: none, several, offline, unauthorized, slow, dies (in the middle of a shell command)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

COMPLAINTS = {
    "none": "adb: no devices/emulators found",
    "several": "adb: more than one device/emulator",
    "offline": "adb: device offline",
    "unauthorized": "adb: device unauthorized.",
}


def here(path: str) -> Path:
    return Path(os.environ["STAND_IN_PHONE"] + path)


def copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target / source.name if target.exists() else target)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def main() -> int:
    trouble = os.environ.get("STAND_IN_TROUBLE", "")
    words = sys.argv[1:]
    if words[:1] == ["-s"]:
        if words[1] != "emulator-5554":
            print(f"adb: device '{words[1]}' not found", file=sys.stderr)
            return 1
        words, trouble = words[2:], "" if trouble == "several" else trouble
    if trouble in COMPLAINTS:
        print("* daemon started successfully\n" + COMPLAINTS[trouble], file=sys.stderr)
        return 1
    if trouble == "slow":
        time.sleep(60)
    match words:
        case ["get-state"]:
            print("device")
        case ["push", source, target]:
            copy(Path(source), here(target))
        case ["pull", source, target]:
            copy(here(source), Path(target))
        case ["shell", command]:
            if trouble == "dies" and "timeout" in command:
                print("half a li", end="")
                return 0
            script = command.replace("/data/", f"{os.environ['STAND_IN_PHONE']}/data/")
            script = script.replace("getprop ro.product.model", "echo Stand-in")
            return subprocess.run(["sh", "-c", script], check=False).returncode
        case _:
            print(f"adb: unknown command {words}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
