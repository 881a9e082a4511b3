"""A scatter_add of a source that is larger than the index fails to convert. Exit 1 where the bug shows."""

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


SAID = 'AssertionError'


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


x, index = torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]], dtype=torch.int32)
source = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
bug = shows("scatter_add(x, 1, index [2, 2], source [2, 3])",
            lambda x, i, s: torch.scatter_add(x, 1, i.long(), s), x, index, source)
control = shows("scatter_add(x, 1, index [2, 2], source [2, 2])",
                lambda x, i, s: torch.scatter_add(x, 1, i.long(), s), x, index, source[:, :2].clone())
sys.exit(2 if control else 1 if bug else 0)
