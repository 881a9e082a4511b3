"""Stands in for an adapter: answers each line with what it was started as, and does what the line asks for."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading

if os.environ.get("STAND_IN_STARTS_A_THREAD"):
    threading.Thread(target=threading.Event().wait, daemon=True).start()

if __name__ == "__main__":
    for line in sys.stdin:
        asked = line.strip()
        if asked == "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        if asked == "exit":
            sys.exit(3)
        if asked == "close":
            os.close(1)
            signal.pause()
        print("a word to standard error", file=sys.stderr, flush=True)
        said = {
            "arguments": sys.argv[1:],
            "pid": os.getpid(),
            "group": os.getpgid(0),
            "parent": os.getppid(),
            "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
        }
        print(json.dumps(said), flush=True)
