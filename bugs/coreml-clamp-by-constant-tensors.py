"""Clamp by a constant tensor fails to convert: its bounds are compared as one truth value. Exit 1 where the bug shows."""

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


x, bound = torch.tensor([[1.5, -2.0]]), torch.tensor([[1.0, 4.0]])
bug = shows("clamp by a constant maximum", lambda x, c: torch.clamp(x, max=c), x, constant=bound)
bug = shows("clamp by a constant minimum", lambda x, c: torch.clamp(x, min=c), x, constant=bound) or bug
control = shows("clamp by an input", lambda x, m: torch.clamp(x, max=m), x, bound)
control = shows("minimum with a constant", lambda x, c: torch.minimum(x, c), x, constant=bound) or control
sys.exit(2 if control else 1 if bug else 0)
