import sys
import warnings

warnings.filterwarnings("ignore")
import torch


@torch.library.custom_op("bug::double_and_add", mutates_args=("x",))
def double_and_add(x: torch.Tensor, y: torch.Tensor) -> None:
    x.mul_(2)
    x.add_(y)


def wrong(label, f):
    def result(call):
        x = torch.tensor([1.0, 10.0])
        returned = call(x)
        return x.tolist(), returned.tolist()

    torch._dynamo.reset()
    expected, actual = result(f), result(torch.compile(f, fullgraph=True))
    print(f"{label}: expected {expected} actual {actual}")
    return expected != actual


def read_later(x):
    y = x + 0.5
    double_and_add(x, y)
    return y + 0


def by_calls(x):
    y = x + 0.5
    x.mul_(2)
    x.add_(y)
    return y + 0


torch.set_grad_enabled(False)
bug = wrong("x + 0.5, read after an operation that writes x", read_later)
control = wrong("control: the same writes as calls", by_calls)
sys.exit(2 if control else int(bug))
