"""View(x, []) is taken for nothing to do, so that a tensor of one element keeps its dims and what is computed with it has too many. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import coremltools
import torch


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


def shows(name, f, *inputs):
    program = torch.export.export(Module(f), inputs).run_decompositions()
    model = coremltools.convert(program, minimum_deployment_target=coremltools.target.iOS18, skip_model_load=True)
    output = model._mil_program.functions["main"].outputs[0]
    print(f"{name}: made by {output.op.op_type}\n  sizes in PyTorch {list(f(*inputs).shape)}\n  sizes in Core ML {list(output.shape)}")
    return list(f(*inputs).shape) != list(output.shape)


x, y = torch.ones(1, 1, 1), torch.ones(2)
bug = shows("view", lambda x, y: x.view([]) + y, x, y)
control = shows("squeeze", lambda x, y: x.squeeze() + y, x, y)
sys.exit(2 if control else 1 if bug else 0)
