"""Diagonal is converted to band_part: the whole matrix with zeros beside its diagonal, not the diagonal. Exit 1 where the bug shows."""

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


x = torch.arange(6.0).reshape(2, 3)
bug = shows("diagonal", lambda x: torch.diagonal(x), x)
control = shows("transpose", lambda x: x.transpose(0, 1), x)
sys.exit(2 if control else 1 if bug else 0)
