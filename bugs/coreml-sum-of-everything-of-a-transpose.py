"""The sum of all elements of a transposed tensor fails to convert: the pass that moves transposes asks for its axes. Exit 1 where the bug shows."""

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


SAID = "KeyError: 'axes'"


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


x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
bug = shows("sum(permute(x, [1, 0]))", lambda x: torch.sum(torch.permute_copy(x, [1, 0])), x)
control = shows("sum(permute(x, [1, 0]), [0, 1])", lambda x: torch.sum(torch.permute_copy(x, [1, 0]), [0, 1]), x)
control = shows("sum(x)", lambda x: torch.sum(x), x) or control
sys.exit(2 if control else 1 if bug else 0)
