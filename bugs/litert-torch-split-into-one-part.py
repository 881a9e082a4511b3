"""litert-torch 0.10.0: a split or chunk into one part does not convert: AttributeError, 'list' object has no attribute 'dtype'."""
import logging, os, sys

logging.disable(logging.CRITICAL)
reported = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the converter reports its progress
import litert_torch
import torch


def wrong(label, function):
    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x) + 1

    x = torch.arange(4.0)
    expected = Model()(x).tolist()
    try:
        actual = litert_torch.convert(Model().eval(), (x,))(x).tolist()
    except AttributeError as error:
        print(f"{label}: expected {expected}, actual AttributeError: {str(error).splitlines()[0]}: WRONG", file=reported, flush=True)
        return True
    print(f"{label}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}", file=reported, flush=True)
    return actual != expected


bug = wrong("split(4)", lambda x: x.split(4)[0])
bug |= wrong("chunk(1)", lambda x: x.chunk(1)[0])
control = wrong("control, split(2)", lambda x: x.split(2)[0])
if control:
    print("the control is wrong too", file=reported)
    sys.exit(2)
sys.exit(1 if bug else 0)
