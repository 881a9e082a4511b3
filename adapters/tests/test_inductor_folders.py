"""What inductor keeps on disk is whole and goes with the worker, also where the worker is killed."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from adapters.torch import inductor_folders

ROOT = Path(__file__).resolve().parent.parent.parent

WORKER = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from adapters.torch.inductor_folders import own_folder
print(own_folder(Path(sys.argv[2])), flush=True)
sys.stdin.read()
"""


class FolderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.parent = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def worker(self) -> tuple[subprocess.Popen[str], Path]:
        command = [sys.executable, "-c", WORKER, str(ROOT), str(self.parent)]
        process = self.enterContext(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        assert process.stdout is not None
        return process, Path(process.stdout.readline().strip())

    def test_the_folder_of_a_killed_worker_is_removed_by_the_next_one_and_that_of_a_living_one_is_not(self) -> None:
        killed, left = self.worker()
        living, used = self.worker()
        self.assertTrue(left.is_dir())
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        last, own = self.worker()
        self.assertFalse(left.exists())
        self.assertTrue(used.is_dir())
        self.assertTrue(own.is_dir())
        for process in (living, last):
            process.communicate("")
        self.assertEqual(list(self.parent.iterdir()), [])


class HeaderTest(unittest.TestCase):
    def setUp(self) -> None:
        self.headers = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.headers / "locks").mkdir()

    def header(self, name: str, mark: bool) -> Path:
        path = self.headers / f"{name}.h.gch"
        path.write_text("compiled")
        if mark:
            Path(f"{path}.part").touch()
        return path

    def remove(self) -> None:
        inductor_folders.remove_partial_headers(self.headers, self.headers / "locks")

    def test_a_header_that_was_not_compiled_to_the_end_is_removed_with_its_mark(self) -> None:
        whole, part = self.header("whole", mark=False), self.header("part", mark=True)
        self.remove()
        self.assertTrue(whole.exists())
        self.assertFalse(part.exists())
        self.assertEqual(list(self.headers.glob("*.part")), [])

    def test_one_that_is_being_compiled_is_left(self) -> None:
        part = self.header("part", mark=True)
        lock = self.headers / "locks" / "part.lock"
        lock.touch()
        with self.subTest("its lock is held"), self.held(lock):
            self.remove()
            self.assertTrue(part.exists())
        self.remove()
        self.assertFalse(part.exists())

    def held(self, lock: Path) -> inductor_folders.TextIO:
        file = inductor_folders.locked(lock)
        assert file is not None
        return file

    def test_a_mark_is_there_while_a_header_is_compiled_and_afterwards_where_that_failed(self) -> None:
        seen: list[bool] = []
        target = self.headers / "x.h.gch"

        class Builder:
            fails = False

            def get_target_file_path(self) -> str:
                return str(target)

            def build(self) -> None:
                seen.append(Path(f"{target}.part").exists())
                if self.fails:
                    raise RuntimeError("killed")

        inductor_folders.mark_headers(Builder)
        Builder().build()
        self.assertEqual((seen, Path(f"{target}.part").exists()), ([True], False))
        Builder.fails = True
        self.assertRaises(RuntimeError, Builder().build)
        self.assertTrue(Path(f"{target}.part").exists())

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "this Python has no torch")
    def test_inductor_still_has_what_is_marked(self) -> None:
        from torch._inductor.cpp_builder import CppBuilder

        self.assertTrue(callable(CppBuilder.build) and callable(CppBuilder.get_target_file_path))


if __name__ == "__main__":
    unittest.main()
