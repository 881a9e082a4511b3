import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder

x = torch.arange(4.0)
def raises(label, f):
    expected = f(x)
    try:
        actual = thunder.jit(f)(x)
    except Exception as error:
        print(f"{label}: expected {expected.tolist()} actual raises {type(error).__name__}: {str(error)[:150]}")
        return True
    print(f"{label}: expected {expected.tolist()} actual {actual.tolist()}")
    return not torch.equal(expected, actual)

bug = raises("x.unfold(0, 2, 1)", lambda x: x.unfold(0, 2, 1))
control = raises("control: torch.unfold_copy(x, 0, 2, 1)", lambda x: torch.unfold_copy(x, 0, 2, 1))
print("id of the symbol for torch.Tensor.unfold:", thunder.torch._torch_to_thunder_function_map[torch.Tensor.unfold].id)
sys.exit(2 if control else int(bug))
