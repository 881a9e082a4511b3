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


def handed_over(x):
    y = x.clone()
    double_and_add(x, y)
    return x + 0


def by_another(x):
    y = x * 3
    double_and_add(x, y)
    return x + 0


torch.set_grad_enabled(False)
bug = wrong("x and a clone of it handed to an operation that writes x", handed_over)
control = wrong("control: a product in the place of the clone", by_another)
sys.exit(2 if control else int(bug))
