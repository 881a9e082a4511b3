"""What inductor keeps on disk, and what of it a killed worker leaves: a folder of built code, half a compiled header.

A worker that hangs is killed, which runs no cleaning. The folder would stay for good. The header is worse: inductor
takes what is there for whole, so every later case on this machine would fail in the compiler ("cannot read PCH file").
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, TextIO

PREFIX = "parallax-inductor-"
LOCK = "lock"
HEADER, MARK = ".gch", ".part"

_held: list[TextIO | None] = []  # open, and so locked, for as long as this process lives


def locked(path: Path) -> TextIO | None:
    """The file `path`, locked until it is closed or this process ends; None where it is not there or another has it."""
    try:
        file = path.open("r+")
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def own_folder(parent: Path) -> Path:
    """A new folder in `parent` that goes with this process. Those of processes that are gone are removed first."""
    for old in parent.glob(PREFIX + "*"):
        if lock := locked(old / LOCK):
            shutil.rmtree(old, ignore_errors=True)
            lock.close()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    unnamed = folder / "new"
    unnamed.touch()
    lock = locked(unnamed)
    unnamed.rename(folder / LOCK)  # nobody sees a lock that is not held yet
    _held.append(lock)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def remove_partial_headers(headers: Path, locks: Path) -> None:
    """Headers whose compiler did not come to its end. Inductor's own lock tells those that are being compiled."""
    for mark in headers.glob(f"*{HEADER}{MARK}"):
        header = mark.with_suffix("")
        with contextlib.suppress(OSError), (locks / f"{header.name.split('.')[0]}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            header.unlink(missing_ok=True)
            mark.unlink(missing_ok=True)


def mark_headers(builder: Any) -> None:
    """Headers that `builder`, inductor's CppBuilder, compiles are marked meanwhile; a killed one's mark stays."""
    build = builder.build

    def marked(self: Any) -> None:
        target = self.get_target_file_path()
        if not target.endswith(HEADER):
            return build(self)
        mark = Path(target + MARK)
        mark.touch()
        build(self)
        mark.unlink(missing_ok=True)
        return None

    builder.build = marked


def keep_apart() -> None:
    """Built code in a folder of this worker's own; headers, which take seconds and know no case, for good but whole."""
    from torch._inductor import codecache
    from torch._inductor.cpp_builder import CppBuilder

    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(own_folder(Path(tempfile.gettempdir())))
    # The names are inductor's own and may go in another version, which then compiles as it likes.
    headers, locks = (getattr(codecache, name, None) for name in ("_HEADER_DIR", "_HEADER_LOCK_DIR"))
    if headers and locks:
        remove_partial_headers(Path(headers), Path(locks))
        mark_headers(CppBuilder)


def find_vector_sets() -> None:
    """Which vector instructions there are, which inductor finds out once per process: by compiling, and by a Python
    that loads what was compiled."""
    from torch._inductor import cpu_vec_isa

    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        cpu_vec_isa.valid_vec_isa_list()
    del os.environ["TORCHINDUCTOR_CACHE_DIR"]
