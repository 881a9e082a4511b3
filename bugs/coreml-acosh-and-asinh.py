"""Acosh and asinh fail to convert: they are mapped to ops of MIL that do not exist. Exit 1 where the bug shows."""

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


def shows(name, f, *inputs, constant=None):
    print(name)
    expected = f(*inputs) if constant is None else f(*inputs, constant)
    expected = expected if isinstance(expected, tuple) else (expected,)
    print("  sizes in PyTorch:", [list(x.shape) for x in expected])
    program = torch.export.export(Module(f, constant), inputs).run_decompositions()
    try:
        model = coremltools.convert(program, minimum_deployment_target=coremltools.target.iOS18, skip_model_load=True)
    except (ValueError, AttributeError, IndexError) as error:
        print(f"  {type(error).__name__}: {str(error).strip()}")
        return True
    print("  sizes in Core ML:", [list(x.shape) for x in model._mil_program.functions["main"].outputs])
    return False


x = torch.tensor([[1.5, 2.0]])
bug = shows("acosh", torch.acosh, x)
bug = shows("asinh", torch.asinh, x) or bug
control = shows("atanh", torch.atanh, x)
control = shows("cosh", torch.cosh, x) or control
sys.exit(2 if control else 1 if bug else 0)
