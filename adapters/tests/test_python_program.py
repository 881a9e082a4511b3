"""bug.py:NAME: modules, functions and autograd.Functions, with what they need and nothing else."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

try:
    import torch
except ImportError:
    torch = None

if torch is not None:
    from adapters.importing.exported_program import import_program
    from adapters.torch.tensors import decode
    from adapters.worker.one_answer import RefusedError

SCRIPT = """
import torch
import beside

class Scale(torch.autograd.Function):
    example_inputs = (torch.tensor([1.0, -2.0, 3.0]), 2.0)

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * factor

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x * ctx.factor, None

class Straight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad

def double(x, *, by=2):
    return beside.identity(x) * by

double.example_inputs = {"x": torch.ones(2), "by": 3}

def without_inputs():
    return torch.ones(2) + 1

class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    def forward(self, x):
        return torch.nn.functional.dropout(self.layer(x), 0.5, self.training)

module = Module()
number = 3
open("MARK", "w").write("run")
raise SystemExit("the script ran")
"""


@unittest.skipIf(torch is None, "PyTorch is not installed")
class PythonProgramTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "python_bug.py"
        self.file.write_text(SCRIPT.replace("MARK", str(self.folder / "mark")))
        (self.folder / "beside.py").write_text("def identity(x):\n    return x\n")
        path, flag = list(sys.path), sys.dont_write_bytecode
        argv = sys.argv

        def restore() -> None:
            sys.path[:], sys.dont_write_bytecode, sys.argv = path, flag, argv
            sys.modules.pop("beside", None)

        self.addCleanup(restore)

    def imported(self, name: str, *types: str) -> dict[str, Any]:
        case = import_program(f"{self.file}:{name}", list(types), 1, set())
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["beside.py", "python_bug.py"])
        return case

    def ops(self, case: dict[str, Any]) -> list[str]:
        return [node["op"] for node in case["graph"]["nodes"]]

    def test_a_function_with_keywords(self) -> None:
        case = self.imported("double")
        self.assertEqual(self.ops(case), ["aten.mul.Tensor"])
        self.assertEqual(case["graph"]["nodes"][0]["args"], ["%x", 3])
        self.assertEqual(case["origin"]["notes"], ["input by is fixed at 3: it is no tensor"])

    def test_a_function_without_inputs(self) -> None:
        self.assertEqual(self.imported("without_inputs")["graph"]["inputs"], {})

    def test_a_module_and_an_instance_in_evaluation(self) -> None:
        for name in ("Module", "module"):
            case = self.imported(name, "f32[3,2]")
            self.assertIn("aten.linear.default", self.ops(case))

    def test_an_autograd_function_expects_what_its_backward_gives(self) -> None:
        case = self.imported("Scale")
        self.assertEqual(case["requires"], ["grad"])
        (name,) = case["grad"]["wrt"]
        (output,) = case["expect"]
        self.assertEqual(decode(output["data"], torch.float32, [3]).tolist(), [2.0, 8.0, 18.0])
        cotangent = decode(case["grad"]["cotangents"][0], torch.float32, [3])
        gradient = decode(case["expect_grad"][name], torch.float32, [3])
        torch.testing.assert_close(gradient, cotangent * 4 * torch.tensor([1.0, -2.0, 3.0]))
        self.assertEqual([line for line in case["origin"]["notes"] if "backward" in line], [])

    def test_a_backward_that_is_not_the_derivative_is_said(self) -> None:
        case = self.imported("Straight", "f32[4]")
        self.assertIn(
            "its backward gives x another gradient than the derivative of its forward", case["origin"]["notes"]
        )

    def test_what_is_refused(self) -> None:
        for name, reason in (("Nope", "has no Nope"), ("number", "gives no example_inputs"), ("Module", "--input")):
            with self.subTest(name=name), self.assertRaisesRegex(RefusedError, reason):
                self.imported(name)
        with self.assertRaisesRegex(RefusedError, "is a int: no module, function"):
            self.imported("number", "f32[2]")
        self.file.write_text("class Broken(\n")
        with self.assertRaisesRegex(RefusedError, "never closed"):
            self.imported("Broken")
        self.file.write_text("import sys\nsys.exit(3) if True else 0\nBug = sys.exit(4)\n")
        with self.assertRaisesRegex(RefusedError, "ends itself with 4"):
            self.imported("Bug")


if __name__ == "__main__":
    unittest.main()
