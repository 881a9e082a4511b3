"""A run that is kept: the program, its inputs, what eager makes of them, and the command that runs it elsewhere."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path

for _package in ("torch", "numpy"):  # the runtimes whose runs are kept have both
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import torch

from adapters.executorch.kept_run import files_of, keep_run
from adapters.torch.case_module import Program, case_module, live, run_protocol
from adapters.torch.flat_inputs import densely_fed, is_row_major
from adapters.worker.system import Json, Stages

GRAPH: Json = {
    "inputs": {"x": {"type": "f32[2,2]", "strides": [1, 2]}},
    "nodes": [{"out": "a", "op": "aten.neg_.default", "args": ["%x"]}],
    "outputs": ["%a"],
}


def build(graph: Json, inputs: tuple[torch.Tensor, ...], _: Stages) -> Program:
    def keep(folder: Path, given: tuple[torch.Tensor, ...]) -> None:
        keep_run(folder, graph, given, files_of(b"program", given))

    return Program(live(graph, case_module(graph), identity=False), keep=keep)


class KeptRunTest(unittest.TestCase):
    def test_what_the_program_is_fed_is_kept_before_it_runs(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            request = {"case": {"graph": GRAPH, "feed": {"x": [1, 2, 3, 4]}}, "artifact": name}
            run_protocol(request, Stages(), densely_fed(build, is_row_major))
            files = {path.name: path.read_bytes() for path in Path(name).iterdir()}
        self.assertEqual(set(files), {"model.pte", "in0.bin", "expected-0.bin", "command"})
        self.assertEqual(files["model.pte"], b"program")
        fed = torch.frombuffer(bytearray(files["in0.bin"]), dtype=torch.float32)
        expected = torch.frombuffer(bytearray(files["expected-0.bin"]), dtype=torch.float32)
        self.assertEqual(fed.tolist(), [1, 3, 2, 4])  # as its storage
        self.assertEqual(expected.tolist(), [-1, -2, -3, -4])
        self.assertIn(b"--inputs=in0.bin", files["command"])

    def test_nothing_is_kept_unless_asked(self) -> None:
        def refuse(*_: object) -> None:
            self.fail("nobody asked")

        request = {"case": {"graph": GRAPH, "feed": {"x": [1, 2, 3, 4]}}}
        run_protocol(
            request, Stages(), lambda graph, *_: Program(live(graph, case_module(graph), identity=False), keep=refuse)
        )


if __name__ == "__main__":
    unittest.main()
