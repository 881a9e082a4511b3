"""The shared worker, spoken to as a process, with stand-in systems."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

SYSTEM = """
import os, sys
sys.path.insert(0, {root!r})
from adapters.worker.loop import serve
from adapters.worker.system import AdapterError, NotRunError, Rejection, System, UnsupportedError

def deep(level): return deep(level + 1) + 1

kept = []

def run(request, stages):
    what = request["case"]["name"]
    if what == "kept":
        kept.append(stages)
        with kept[0]("build"): raise KeyError("slot")
    print("chatter on standard output")
    with stages("lower"):
        os.write(1, b"chatter from C\\n")
        os.write(2, b"[kernel.cpp:7] no kernel for op\\n")
        if what == "limit": raise RuntimeError("error: 0x14")
        if what == "broken": raise KeyError("slot")
        if what == "wrapped": raise Exception("in pass 7") from KeyError("slot")
        if what == "exit": sys.exit(1)
        if what == "unsupported": raise UnsupportedError("not here")
        if what == "adapter": raise AdapterError("two results")
        if what == "compiled": raise NotRunError("no runtime", {{"delegated": 3}}, lambda path: path.write_text("it"))
        write = lambda path: path.write_text("it")
        size = lambda path: {{"size": len(open(path).read())}}
        if what == "audited": raise NotRunError("no runtime", {{}}, write, size)
        if what == "unreadable": raise NotRunError("no runtime", {{}}, write, lambda path: int("it"))
        if what == "fork" and os.fork() == 0: return {{"outputs": ["of the child"]}}
        if what == "fork_and_fail" and os.fork() == 0: raise KeyError("in the child")
        if what == "deep": deep(0)
        if what == "greedy": bytearray(1 << 60)
        if what == "much":
            for _ in range(256): os.write(1, b"x" * (1 << 20))
        if what == "long": raise ValueError("x" * 100_000)
    return {{"outputs": [], "said": sys.argv[1:]}}

rejections = (Rejection("0x14", "documented"), Rejection("no kernel", "elsewhere", stage="run"))
explain = lambda text, written: text + " | " + written.strip()
serve(lambda arguments: System(lambda: {{"name": "stand-in"}}, run, rejections, explain))
"""


def talk(requests: list[object], stderr: int | None = subprocess.PIPE) -> tuple[list[dict], str]:
    """The replies to these requests (a string is sent as it is), and what came out of standard error."""
    lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "system.py"
        script.write_text(SYSTEM.format(root=str(ROOT)))
        done = subprocess.run(
            [sys.executable, str(script), "--flag"],
            input="\n".join(lines) + "\n",
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            check=True,
            timeout=60,
        )
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr or ""


def run(name: str) -> dict:
    return {"id": name, "do": "run", "case": {"name": name}}


class WorkerTest(unittest.TestCase):
    def test_hello_carries_the_protocol(self) -> None:
        replies, _ = talk([{"id": 1, "do": "hello"}])
        self.assertEqual(replies, [{"id": 1, "protocol": 1, "name": "stand-in"}])

    def test_replies_are_alone_on_standard_output_and_chatter_is_on_standard_error(self) -> None:
        replies, errors = talk([run("fine"), run("fine")])
        self.assertEqual([reply["status"] for reply in replies], ["ok", "ok"])
        self.assertEqual(replies[0]["said"], ["--flag"])
        self.assertIn("lower", replies[0]["ms"])
        self.assertEqual(errors.count("chatter from C"), 2)
        self.assertEqual(errors.count("chatter on standard output"), 2)

    def test_exceptions_have_a_status_a_stage_and_what_c_code_wrote(self) -> None:
        expected = {
            "limit": ("rejected", "lower", "RuntimeError"),
            "broken": ("error", "lower", "KeyError"),
            "exit": ("error", "lower", "SystemExit"),
            "unsupported": ("unsupported", "adapter", "UnsupportedError"),
            "adapter": ("unsupported", "adapter", "AdapterError"),
        }
        replies, _ = talk([run(name) for name in expected])
        for reply, (name, wanted) in zip(replies, expected.items(), strict=True):
            self.assertEqual((reply["status"], reply["stage"], reply["kind"]), wanted, name)
            self.assertIn("no kernel for op", reply["message"])
        self.assertEqual(replies[0]["because"], "documented")
        self.assertIn("KeyError", replies[1]["traceback"])

    def test_a_program_that_is_kept_says_in_which_stage_a_later_request_failed(self) -> None:
        replies, _ = talk([run("kept"), run("kept")])
        self.assertEqual([reply["stage"] for reply in replies], ["build", "build"])

    def test_of_an_exception_that_only_says_where_its_cause_is_told(self) -> None:
        reply = talk([run("wrapped")])[0][0]
        self.assertEqual(reply["kind"], "KeyError")
        self.assertRegex(reply["message"], "^'slot'")
        self.assertIn("in pass 7", reply["traceback"])

    def test_what_was_compiled_and_cannot_be_run_says_so_and_is_kept_where_asked(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            replies, _ = talk([run("compiled"), {**run("compiled"), "artifact": folder}])
            self.assertEqual((Path(folder) / "model.bin").read_text(), "it")
        for reply in replies:
            self.assertEqual((reply["status"], reply["stage"]), ("unsupported", "run"))
            self.assertEqual(reply["compiled"], {"delegated": 3})

    def test_what_was_compiled_is_audited_where_that_can_be(self) -> None:
        replies, _ = talk([run("audited"), run("unreadable")])
        self.assertEqual(replies[0]["compiled"], {"audit": {"size": 2}})
        self.assertEqual((replies[1]["status"], replies[1]["stage"]), ("unsupported", "adapter"))
        self.assertNotIn("compiled", replies[1])

    def test_standard_error_is_that_of_the_request_alone(self) -> None:
        replies, _ = talk([run("broken"), run("broken")])
        for reply in replies:
            self.assertEqual(reply["stderr"].count("no kernel"), 1)

    def test_a_parent_that_gives_a_file_for_standard_error_reads_it_there(self) -> None:
        with tempfile.TemporaryFile("w+") as file:
            replies, _ = talk([run("broken")], stderr=file.fileno())
            file.seek(0)
            self.assertIn("no kernel", file.read())
        self.assertIn("no kernel", replies[0]["stderr"])

    def test_what_fails_outside_every_stage_is_the_adapters_own(self) -> None:
        (reply,), _ = talk([{"id": 1, "do": "run"}])
        self.assertEqual((reply["status"], reply["stage"], reply["kind"]), ("unsupported", "adapter", "KeyError"))

    def test_a_system_that_cannot_be_made_says_why(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", "from adapters.worker.loop import serve; serve(lambda _: 1 / 0)"],
            cwd=ROOT,
            input="",
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("ZeroDivisionError", done.stderr)

    def test_a_child_that_the_system_forked_does_not_answer(self) -> None:
        replies, _ = talk([run("fork"), run("fork_and_fail"), run("fine")])
        self.assertEqual([reply["id"] for reply in replies], ["fork", "fork_and_fail", "fine"])
        self.assertEqual([reply["status"] for reply in replies], ["ok"] * 3)
        self.assertEqual(replies[0]["outputs"], [])

    def test_deep_recursion_and_too_much_memory_are_errors_and_the_worker_stays(self) -> None:
        replies, _ = talk([run("deep"), run("greedy"), run("fine")])
        self.assertEqual([reply["status"] for reply in replies], ["error", "error", "ok"])
        self.assertEqual([reply["kind"] for reply in replies[:2]], ["RecursionError", "MemoryError"])

    def test_much_on_standard_output_is_no_reply(self) -> None:
        with tempfile.TemporaryFile() as file:
            replies, _ = talk([run("much"), run("fine")], stderr=file.fileno())
            self.assertGreater(file.seek(0, 2), 1 << 28)
        self.assertEqual([reply["status"] for reply in replies], ["ok", "ok"])
        self.assertLess(len(json.dumps(replies)), 50_000)

    def test_long_messages_are_cut(self) -> None:
        replies, _ = talk([run("long")])
        self.assertLess(len(json.dumps(replies[0])), 50_000)

    def test_nonsense_is_answered_and_the_next_request_runs(self) -> None:
        requests: list[object] = ["{", "[1]", '"text"', "null", {"id": 5, "do": "dance"}, run("fine")]
        replies, _ = talk(requests)
        self.assertEqual([reply["status"] for reply in replies], ["unsupported"] * 5 + ["ok"])
        self.assertEqual(replies[4]["id"], 5)


if __name__ == "__main__":
    unittest.main()
