"""The loop every adapter runs: one JSON request a line on standard input, one JSON reply a line back.

Standard library only, so that it can be tested without the system under test. The protocol is in docs/protocol.md.

Libraries print. File descriptor 1 is kept for replies alone: a duplicate of it is taken before anything else runs, and
what anybody prints goes to standard error. Standard error is a file that can be read back, so that what C++ code wrote
there (ExecuTorch explains its error codes only there) reaches the reply.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from adapters.worker.last_program import forget_program
from adapters.worker.switches import UsageError
from adapters.worker.system import AdapterError, Json, NotRunError, Stages, System, UnsupportedError

PROTOCOL = 1
MESSAGE_LIMIT = 4_000  # characters of an exception's text that a reply carries
DETAIL_LIMIT = 16_000  # characters of a traceback, bytes of standard error


class Stderr:
    """File descriptor 2 as a file whose tail can be read."""

    def __init__(self) -> None:
        self._forward: int | None = None
        if not _is_readable_file(2):  # a terminal or a pipe: write to a file, and pass it on after each request
            self._forward = os.dup(2)
            with tempfile.TemporaryFile() as file:
                os.dup2(file.fileno(), 2)
            fcntl.fcntl(2, fcntl.F_SETFL, fcntl.fcntl(2, fcntl.F_GETFL) | os.O_APPEND)
        self._mark = 0

    def mark(self) -> None:
        """What is written from here on is the next tail()."""
        self._mark = os.fstat(2).st_size

    def tail(self, limit: int = DETAIL_LIMIT) -> str:
        """The last bytes written since mark()."""
        size = os.fstat(2).st_size
        # The parent empties the file when it grows; then all of it is new.
        begin = max(self._mark if self._mark <= size else 0, size - limit)
        return os.pread(2, size - begin, begin).decode(errors="replace")

    def forward(self) -> None:
        """Passes everything on to where standard error led before, if it was replaced."""
        if self._forward is not None:
            os.write(self._forward, os.pread(2, os.fstat(2).st_size, 0))
            os.ftruncate(2, 0)


def _is_readable_file(fd: int) -> bool:
    readable = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR
    return readable and stat.S_ISREG(os.fstat(fd).st_mode)


def _cause(error: BaseException) -> BaseException:
    """What went wrong. A bare Exception raised from another only says where, as the pass managers of torch.fx do."""
    while type(error) is Exception and error.__cause__ is not None:
        error = error.__cause__
    return error


def failure(system: System, error: BaseException, stage: str, written: str) -> Json:
    """The reply for an exception: unsupported, rejected (a declared limit) or error."""
    cause = _cause(error)
    kind = type(cause).__name__
    text = str(cause)
    reply: Json = {"status": "error", "stage": stage, "kind": kind, "message": _clip(system.explain(text, written))}
    if isinstance(error, UnsupportedError):
        return {**reply, "status": "unsupported", "stage": "adapter"}
    if isinstance(error, NotRunError):
        return {**reply, "status": "unsupported", "stage": "run", "compiled": error.facts}
    trace = "".join(traceback.format_exception(error))[-DETAIL_LIMIT:]
    if isinstance(error, AdapterError) or stage == "adapter":  # outside every stage it is our own code that failed
        return {**reply, "status": "unsupported", "stage": "adapter", "traceback": trace}
    searched = f"{kind}: {text}\n{written}"
    for rejection in system.rejections:
        if rejection.stage in (None, stage) and re.search(rejection.pattern, searched):
            return {**reply, "status": "rejected", "because": rejection.why}
    return {**reply, "traceback": trace, "stderr": written}


def _clip(message: str) -> str:
    return message if len(message) <= MESSAGE_LIMIT else message[:MESSAGE_LIMIT] + " …"


def not_a_request(message: str) -> Json:
    return {"status": "unsupported", "stage": "adapter", "kind": "Request", "message": message}


def answer(system: System, request: Json, stderr: Stderr, stages: Stages) -> Json:
    """The reply to one request, without its id."""
    if request.get("do") == "hello":
        return {"protocol": PROTOCOL, **system.hello()}
    if request.get("do") != "run":
        return not_a_request(f"cannot do {request.get('do')!r}")
    stages.begin()
    stderr.mark()
    if request.get("anew"):
        forget_program()
    try:
        reply = {"status": "ok", **system.run(request, stages)}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # libraries raise SystemExit and panics that are no Exception
        reply = failure(system, error, stages.current, stderr.tail())
        if isinstance(error, NotRunError):
            try:
                keep_and_audit(error, request.get("artifact"))
            except Exception as failed:  # ours: nothing is known of the program then
                reply = failure(system, failed, "adapter", stderr.tail())
    return {**reply, "ms": {name: round(spent, 3) for name, spent in stages.milliseconds.items()}}


def keep_and_audit(compiled: NotRunError, artifact: str | None) -> None:
    """Writes what was compiled to the folder that somebody asked for, and what an audit says of it into the facts."""
    if artifact:
        compiled.save(Path(artifact) / f"model.{compiled.facts.get('format', 'bin')}")
    if compiled.audit is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"case.{compiled.facts.get('format', 'bin')}"
        compiled.save(place)
        compiled.facts["audit"] = compiled.audit(str(place))


def serve(make_system: Callable[[list[str]], System]) -> None:
    """Answers until end of file. `make_system` (which imports the libraries) gets the command line's arguments."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    served_by = os.getpid()
    stderr = Stderr()
    os.dup2(2, 1)
    try:
        system = make_system(sys.argv[1:])
    except UsageError as error:
        print(error, file=sys.stderr)
        stderr.forward()
        os._exit(2)
    except SystemExit as error:  # a parser of arguments has said why; else a line for a person
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        stderr.forward()
        os._exit(2)
    except BaseException:
        traceback.print_exc()
        stderr.forward()
        os._exit(1)  # printed once, and nothing is left to clean up
    stages = Stages()
    for line in sys.stdin:
        request: Json = {}
        try:
            request = json.loads(line)
            reply = answer(system, request, stderr, stages)
        except (ValueError, AttributeError) as error:
            reply = not_a_request(f"not a request: {error}")
            request = request if isinstance(request, dict) else {}
        if os.getpid() != served_by:
            os._exit(0)  # a child that the system forked, and that came back here: one case has one reply
        sys.stdout.flush()
        sys.stderr.flush()
        stderr.forward()
        replies.write(json.dumps({"id": request.get("id"), **reply}) + "\n")
        replies.flush()
