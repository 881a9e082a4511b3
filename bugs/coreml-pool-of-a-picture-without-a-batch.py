"""A 2-D pool of a picture (C, H, W) fails to convert: it is taken for (N, C, L). Exit 1 where the bug shows."""

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


from torch.nn import functional as F

x = torch.ones(1, 4, 4)
bug = shows("avg_pool2d of (C, H, W)", lambda x: F.avg_pool2d(x, 2, 2), x)
bug = shows("max_pool2d of (C, H, W)", lambda x: F.max_pool2d(x, 2, 2), x) or bug
control = shows("avg_pool2d of (N, C, H, W)", lambda x: F.avg_pool2d(x, 2, 2), x[None])
control = shows("max_pool2d of (N, C, H, W)", lambda x: F.max_pool2d(x, 2, 2), x[None]) or control
control = shows("adaptive_avg_pool2d of (C, H, W)", lambda x: F.adaptive_avg_pool2d(x, 2), x) or control
sys.exit(2 if control else 1 if bug else 0)
