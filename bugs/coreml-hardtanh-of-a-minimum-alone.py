"""Hardtanh with a minimum and the default maximum fails to convert: three arguments are asked for. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import coremltools
import torch


class Module(torch.nn.Module):
    def __init__(self, f, constant):
        super().__init__()
        self.f = f
        self.register_buffer("c", constant)

    def forward(self, *inputs):
        return self.f(*inputs) if self.c is None else self.f(*inputs, self.c)


SAID = 'expected [3]'


def shows(name, f, *inputs, constant=None):
    print(name)
    expected = f(*inputs) if constant is None else f(*inputs, constant)
    expected = expected if isinstance(expected, tuple) else (expected,)
    print("  sizes in PyTorch:", [list(x.shape) for x in expected])
    program = torch.export.export(Module(f, constant), inputs).run_decompositions()
    try:
        model = coremltools.convert(program, minimum_deployment_target=coremltools.target.iOS18, skip_model_load=True)
    except Exception as error:
        print(f"  {type(error).__name__}: {str(error).strip()}".rstrip(": "))
        if SAID not in f"{type(error).__name__}: {error}":
            print("that is another error")
            sys.exit(2)
        return True
    print("  sizes in Core ML:", [list(x.shape) for x in model._mil_program.functions["main"].outputs])
    return False


x, hardtanh = torch.tensor([1.0, -3.0, 3.0]), torch.ops.aten.hardtanh.default
bug = shows("hardtanh(x, -2)", lambda x: hardtanh(x, -2.0), x)
bug = shows("hardtanh(x)", lambda x: hardtanh(x), x) or bug
control = shows("hardtanh(x, -2, 2)", lambda x: hardtanh(x, -2.0, 2.0), x)
sys.exit(2 if control else 1 if bug else 0)
