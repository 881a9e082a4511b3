import sys, warnings; warnings.filterwarnings("ignore")
import torch

def wrong(label, f):
    def result(call):
        x = torch.tensor([1.0, 2.0])
        y = call(x)
        x.fill_(9)  # the caller goes on with its own tensor
        return y.tolist()
    torch._dynamo.reset()
    expected, actual = result(f), result(torch.compile(f, fullgraph=True))
    print(f"{label}: result after x.fill_(9) expected {expected} actual {actual}")
    return expected != actual

aten = torch.ops.aten
bug = wrong("clone, slice, clone", lambda x: x.clone()[1:].clone())
bug |= wrong("clone, view, clone", lambda x: x.clone().view(2, 1).clone())
bug |= wrong("clone, split_with_sizes_copy", lambda x: aten.split_with_sizes_copy(x.clone(), [1, 1])[1])
control = wrong("control: slice, clone", lambda x: x[1:].clone())
control |= wrong("control: clone, clone", lambda x: x.clone().clone())

sys.exit(2 if control else int(bug))
