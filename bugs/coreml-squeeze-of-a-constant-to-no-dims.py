"""A squeeze of a constant of two dims to none fails to convert: it is folded to its first row. Exit 1 where the bug shows."""

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


SAID = 'zero-rank ndarray input'


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


x, c = torch.tensor([1.0]), torch.tensor([[2.0]])
bug = shows("x + squeeze(c) of [1, 1]", lambda x, c: x + torch.squeeze(c), x, constant=c)
bug = shows("x + squeeze(c) of [1, 1, 1]", lambda x, c: x + torch.squeeze(c), x, constant=c.reshape(1, 1, 1)) or bug
control = shows("x + squeeze(c) of [1]", lambda x, c: x + torch.squeeze(c), x, constant=c[0].clone())
control = shows("x + squeeze(c, 0) of [1, 1]", lambda x, c: x + torch.squeeze(c, 0), x, constant=c) or control
control = shows("x + squeeze(m) of an input", lambda x, m: x + torch.squeeze(m), x, c) or control
sys.exit(2 if control else 1 if bug else 0)
