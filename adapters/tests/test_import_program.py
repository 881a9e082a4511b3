"""Programs as cases: what is read of a module and of saved programs, and what is refused with one line."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent.parent

try:
    import torch
except ImportError:
    torch = None

BUG = """
import torch

print("what a reporter's script prints")


class Bug(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(2, 3))
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.cache.add_(x)
        first, second = (x * self.weight).split(1)
        second.relu_()
        return first, self.cache.permute(1, 0).to(torch.float16)


def example_inputs():
    return (torch.arange(6.0).reshape(2, 3).t().contiguous().t(),)


class Pooled(torch.nn.Module):
    example_inputs = (torch.ones(1, 1, 4, 4),)

    def forward(self, x):
        x.mul_(2)
        return -torch.nn.functional.max_pool2d(x, 2)


class Keyed(torch.nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + torch.rand_like(x), lambda x: x - 1, (x,))
"""


@unittest.skipIf(torch is None, "PyTorch is not installed")
class ImportProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bug = self.folder / "bug.py"
        self.bug.write_text(BUG)

    def run_script(self, *arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-W", "ignore", str(ADAPTERS), "importing.exported_program", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def imported(self, *arguments: str) -> dict:
        status, output, errors = self.run_script(*arguments)
        self.assertEqual(status, 0, errors)
        self.assertEqual(output.count("\n"), 1)
        return json.loads(output)

    def ops(self, case: dict) -> list[str]:
        return [node["op"] for node in case["graph"]["nodes"]]

    def test_a_module(self) -> None:
        case = self.imported(f"{self.bug}:Bug")
        self.assertEqual(case["graph"]["inputs"], {"x": {"type": "f32[2,3]", "strides": [1, 2]}})
        self.assertEqual([entry["type"] for entry in case["graph"]["buffers"].values()], ["f32[2,3]"])
        self.assertEqual([entry["type"] for entry in case["graph"]["constants"].values()], ["f32[3]"])
        self.assertIn("aten.add_.Tensor", self.ops(case))
        self.assertIn({"out": "getitem", "op": "getitem", "args": ["%split", 0]}, case["graph"]["nodes"])

    def test_a_functional_program_writes_back(self) -> None:
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        import bug

        with torch.no_grad():
            program = torch.export.export(bug.Bug(), bug.example_inputs()).run_decompositions()
        torch.export.save(program, self.folder / "bug.pt2")
        case = self.imported(str(self.folder / "bug.pt2"))
        self.assertEqual(self.ops(case).count("aten.copy_.default"), 1)
        self.assertEqual(len(case["graph"]["outputs"]), 2)

    def test_a_composite_op_that_is_not_known_stands_as_its_calls(self) -> None:
        whole = self.imported(f"{self.bug}:Pooled")
        self.assertEqual(self.ops(whole), ["aten.mul_.Tensor", "aten.max_pool2d.default", "aten.neg.default"])
        known = ["aten.mul_.Tensor", "aten.neg.default", "aten.max_pool2d_with_indices.default"]
        inlined = self.imported(f"{self.bug}:Pooled", "--known", ",".join(known))
        ops = ["aten.mul_.Tensor", "aten.max_pool2d_with_indices.default", "getitem", "aten.neg.default"]
        self.assertEqual(self.ops(inlined), ops)

    def test_what_cannot_be_expressed_is_one_line(self) -> None:
        (self.folder / "broken.pt2").write_text("no archive")
        rows = [
            ([f"{self.bug}:Nope"], "has no Nope"),
            ([f"{self.bug}:Keyed"], "gives no example_inputs|rand_like"),
            ([f"{self.bug}:Bug", "--input", "f32[2,x]"], "no type"),
            ([f"{self.bug}:Bug", "--library", "no_such_module"], "--library no_such_module: ModuleNotFoundError"),
            (
                [f"{self.bug}:Pooled", "--known", "aten.mul_.Tensor"],
                "node max_pool2d: aten.max_pool2d.default is not known",
            ),
            ([str(self.folder / "broken.pt2")], "zip"),
            ([str(self.folder / "none.pt2")], "does not exist"),
            ([str(self.folder / "none.pt2"), "--input", "f32[2]"], "states the types of its inputs itself"),
        ]
        for arguments, reason in rows:
            with self.subTest(arguments=arguments):
                status, output, errors = self.run_script(*arguments)
                self.assertEqual((status, output), (2, ""))
                self.assertRegex(errors.strip().splitlines()[-1], reason)


if __name__ == "__main__":
    unittest.main()
