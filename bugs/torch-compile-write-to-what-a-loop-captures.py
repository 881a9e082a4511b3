import sys
import warnings

warnings.filterwarnings("ignore")
import torch
from torch._higher_order_ops import while_loop


def wrong(label, written_before, in_condition, returned=True):
    def f(x):
        if written_before:
            x.add_(1)

        def condition(i):
            if in_condition:
                x.add_(1)
            return i < 2

        def body(i):
            if not in_condition:
                x.add_(1)
            return (i + 1,)

        steps = while_loop(condition, body, (torch.tensor(0),))
        return steps if returned else None

    def result(call):
        x = torch.tensor([0.0, 10.0])
        call(x)
        return x.tolist()

    torch._dynamo.reset()
    expected, actual = result(f), result(torch.compile(f, fullgraph=True))
    print(f"{label}: x after the call, expected {expected} actual {actual}")
    return expected != actual


torch.set_grad_enabled(False)
bug = wrong("x written before the loop and in its body", True, False)
bug |= wrong("x written before the loop and in its condition", True, True)
bug |= wrong("x written in the body of a loop whose results nothing reads", False, False, returned=False)
control = wrong("control: x written in the body alone", False, False)
sys.exit(2 if control else int(bug))
