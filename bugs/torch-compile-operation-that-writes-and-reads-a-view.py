import sys
import warnings

warnings.filterwarnings("ignore")
import torch


@torch.library.custom_op("bug::add_one_and_read", mutates_args=("x",))
def add_one_and_read(x: torch.Tensor, part: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return part.clone()


@add_one_and_read.register_fake
def _(x, part):
    return torch.empty_like(part)


class M(torch.nn.Module):
    def forward(self, x):
        return (add_one_and_read(x, x[2:3]),)


class Control(torch.nn.Module):
    def forward(self, x):
        return (add_one_and_read(x, x[2:3] + 0.5),)


def wrong(label, module):
    def result(call):
        return call(torch.tensor([1.0, 2.0, 3.0, 4.0]))[0].tolist()

    torch._dynamo.reset()
    expected = result(module)
    example = (torch.zeros(4),)
    ways = {
        "aot_eager": torch.compile(module, backend="aot_eager", fullgraph=True),
        "torch.export": torch.export.export(module, example, strict=False).run_decompositions().module(),
    }
    actual = {name: result(way) for name, way in ways.items()}
    print(f"{label}: expected {expected} actual {actual}")
    return any(one != expected for one in actual.values())


torch.set_grad_enabled(False)
bug = wrong("an operation that writes x and reads a view of it", M())
control = wrong("control: and reads a sum", Control())
sys.exit(2 if control else int(bug))
