import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch
from executorch.exir import to_edge_transform_and_lower
from torch.export.graph_signature import OutputKind

library = torch.library.Library("bug", "DEF")
library.define("double_both(Tensor(a!) x, Tensor(b!) s) -> Tensor")
library.define("double_both.out(Tensor(a!) x, Tensor(b!) s, *, Tensor(c!) out) -> Tensor(c!)")


def double_both(x, s):
    x.mul_(2)
    s.mul_(2)
    return torch.zeros(())


library.impl("double_both", double_both, "CompositeExplicitAutograd")
torch.library.register_fake("bug::double_both", double_both, lib=library)


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("s", torch.zeros(3))

    def forward(self, x):
        torch.ops.bug.double_both(x, self.s)
        return (x + 0,)


class Control(M):
    def forward(self, x):
        x.mul_(2)
        self.s.mul_(2)
        return (x + 0,)


def wrong(label, module):
    exported = torch.export.export(module, (torch.ones(2),), strict=False)
    program = to_edge_transform_and_lower(exported).to_executorch().exported_program()
    specs = [spec for spec in program.graph_signature.output_specs if spec.kind != OutputKind.BUFFER_MUTATION]
    returned = program.graph.output_node().args[0]
    place = [spec.kind for spec in specs].index(OutputKind.USER_INPUT_MUTATION)
    node = returned[place]
    print(f"{label}: in the place of x, of 2 elements, is '{node.name}', of {node.meta['val'].numel()}")
    return node.meta["val"].numel() != 2


bug = wrong("an operation that writes x and a buffer", M())
control = wrong("control: calls that write both", Control())
sys.exit(2 if control else int(bug))
