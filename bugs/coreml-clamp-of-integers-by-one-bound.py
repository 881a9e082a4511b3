"""A clamp of integers by one bound becomes a clamp of floats, and a function of integers behind it fails to convert. Exit 1 where the bug shows."""

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


SAID = 'double'


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


x, m = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([2, 2, 2], dtype=torch.int32)
bug = shows("bitwise_not(clamp_max(x, m))", lambda x, m: torch.bitwise_not(torch.clamp_max(x, m)), x, m)
bug = shows("bitwise_not(clamp_min(x, m))", lambda x, m: torch.bitwise_not(torch.clamp_min(x, m)), x, m) or bug
control = shows("bitwise_not(minimum(x, m))", lambda x, m: torch.bitwise_not(torch.minimum(x, m)), x, m)
control = shows("bitwise_not(clamp(x, m, m))", lambda x, m: torch.bitwise_not(torch.clamp(x, m, m)), x, m) or control
sys.exit(2 if control else 1 if bug else 0)
