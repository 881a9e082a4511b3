"""A reduction over dim 0 of a 0-d tensor fails to convert: the dim is popped from a list of no sizes. Exit 1 where the bug shows."""

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


x = torch.tensor(1.5)
bug = shows("amax(-x, 0)", lambda x: torch.amax(-x, 0), x)
bug = shows("amax(-x, 0, keepdim=True)", lambda x: torch.amax(-x, 0, True), x) or bug
bug = shows("sum(-x, 0)", lambda x: torch.sum(-x, 0), x) or bug
bug = shows("argmax(-x, 0)", lambda x: torch.argmax(-x, 0), x) or bug
control = shows("amax(-x, 0) of [1, 2]", lambda x: torch.amax(-x, 0), torch.tensor([[1.5, -2.0]]))
control = shows("amax(-x) of a 0-d tensor", lambda x: torch.amax(-x), x) or control
sys.exit(2 if control else 1 if bug else 0)
