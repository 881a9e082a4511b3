import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder

def f(x, y):
    x.neg_()
    x.cos_()
    return y
def overlapping():
    m = torch.zeros(7)
    return m.as_strided((2, 2), (4, 2)), m[1:5]  # places 0, 2, 4, 6 and 1, 2, 3, 4
def same_elements():
    m = torch.zeros(4)
    return m.view(2, 2), m
def wrong(label, make):
    expected, actual = f(*make()), thunder.jit(f)(*make())
    print(f"{label}: expected {expected.tolist()} actual {actual.tolist()}")
    return not torch.equal(expected, actual)

bug = wrong("overlapping", overlapping)
control = wrong("control: the same elements", same_elements)
sys.exit(2 if control else int(bug))
