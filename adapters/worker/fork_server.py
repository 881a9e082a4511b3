"""Forks workers off a process that has imported their adapter: a worker is there in milliseconds, and not in seconds.

    python3 adapters worker.fork_server MODULE

Standard input is a Unix socket of JSON lines, standard output has one line back for each:

    {"do": "import"}                                  {"forks": true}, or false and "why"; then it is to be ended
    {"do": "fork", "arguments": […], "memory": BYTES} {"pid": N}; the line carries three descriptors, which the worker
                                                      has as standard input, output and error
    {"do": "status", "pid": N, "wait": true}          {"status": what waitpid says}, or null while it goes on

A worker runs MODULE as a program would: what the module imports is there already. A function `before_fork` of the
module does what else takes long, knows no case and can be handed on. Linux copies one thread into a fork, so a module
that started threads is not forked. OpenBLAS ends its own before a fork and starts them again behind it. Standard
library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

DESCRIPTORS = 3
PREPARE = "before_fork"
PR_SET_PDEATHSIG = 1  # linux/prctl.h


def openblas_threads() -> int:
    """How many threads the copies of OpenBLAS in this process have at most: one per core each, less the main one."""
    with open("/proc/self/maps") as maps:
        copies = {line.split()[-1] for line in maps if "openblas" in line}
    return len(copies) * (len(os.sched_getaffinity(0)) - 1)


def why_not_to_fork() -> str | None:
    """What of this process a fork would lose."""
    threads = len(os.listdir("/proc/self/task")) - 1
    return None if threads <= openblas_threads() else f"the module started {threads} threads"


def imported(name: str) -> dict[str, Any]:
    """Imports the module, and says whether workers can be forked of it."""
    try:
        module = importlib.import_module(name)
        getattr(module, PREPARE, lambda: None)()
    except BaseException as error:  # a worker of its own tells what is wrong
        return {"forks": False, "why": f"{type(error).__name__}: {error}"}
    sys.modules.pop(name)  # it is run, as __main__, in each worker
    gc.collect()
    gc.freeze()  # what is never looked at is never copied
    why = why_not_to_fork()
    return {"forks": why is None, "why": why}


def status_of(pid: int, wait: bool) -> int | None:
    ended, status = os.waitpid(pid, 0 if wait else os.WNOHANG)
    return status if ended == pid else None


def become_worker(descriptors: list[int], memory: int) -> None:
    """What a process of its own would be given: a group, a limit, its standard files, and an end with its parent."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    for place, descriptor in enumerate(descriptors):
        os.dup2(descriptor, place)
        os.close(descriptor)


def forked(request: dict[str, Any], descriptors: list[int]) -> int:
    """The worker's process number; 0 in the worker."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        become_worker(descriptors, request["memory"])
        return 0
    with contextlib.suppress(OSError):  # both do it, so that the group exists whoever runs first
        os.setpgid(pid, pid)
    for descriptor in descriptors:
        os.close(descriptor)
    return pid


def requests(requested: socket.socket) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Each line, with the descriptors that came along."""
    received = b""
    descriptors: list[int] = []
    while True:
        while b"\n" not in received:
            text, new, _, _ = socket.recv_fds(requested, 1 << 16, DESCRIPTORS)
            if not text:
                return
            received += text
            descriptors += new
        line, received = received.split(b"\n", 1)
        yield json.loads(line), descriptors
        descriptors = []


def serve(name: str) -> list[str] | None:
    """The arguments of a worker, in the worker; nothing once nobody asks any more."""
    with socket.socket(fileno=os.dup(0)) as requested:
        for request, descriptors in requests(requested):
            if request["do"] == "import":
                reply = imported(name)
            elif request["do"] == "fork":
                pid = forked(request, descriptors)
                if pid == 0:
                    return list(request["arguments"])
                reply = {"pid": pid}
            else:
                reply = {"status": status_of(request["pid"], request["wait"])}
            print(json.dumps(reply), flush=True)
    return None


def main() -> None:
    replies = os.dup(1)
    os.dup2(2, 1)  # libraries print
    sys.stdout = os.fdopen(replies, "w", encoding="utf-8")
    name = f"adapters.{sys.argv[1]}"
    arguments = serve(name)
    if arguments is None:
        return
    sys.stdout.close()
    sys.stdout = sys.__stdout__
    sys.argv[1:] = arguments
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
