"""choose_qparams_per_token gives float32, and inductor takes it for float64 and int64. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

leaky_relu = torch.nn.functional.leaky_relu
symmetric = torch.ops.quantized_decomposed.choose_qparams_per_token
asymmetric = torch.ops.quantized_decomposed.choose_qparams_per_token_asymmetric


def shows(name, f, values):
    x = torch.tensor([values])
    expected = f(x)
    print(name)
    print("  expected (eager):", str(expected.dtype), expected.tolist())
    torch._dynamo.reset()
    try:
        actual = torch.compile(f)(x)
    except Exception as error:
        print("  actual:          ", type(error).__name__, str(error).split("got ")[-1].splitlines()[0][:120])
        return True
    # some of them read memory that is not theirs, so what they hold is not printed
    wrong = actual.dtype != expected.dtype or not torch.equal(actual, expected)
    print("  actual:          ", str(actual.dtype), "other numbers" if wrong else actual.tolist())
    return wrong


x = [1.0, -127.0]
name = "control: choose_qparams_per_token_asymmetric, the scale negated"
control = shows(name, lambda x: -asymmetric(x, torch.int8)[0], [128.0, -127.0])
control |= shows("control: the scale itself", lambda x: symmetric(x, torch.int8)[0], x)
bug = shows("case: the scale negated", lambda x: -symmetric(x, torch.int8)[0], x)
bug |= shows("x by the scale", lambda x: x * symmetric(x, torch.int8)[0], x)
bug |= shows("leaky_relu of the zero point", lambda x: leaky_relu(symmetric(x, torch.int8)[1]), x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
