"""PyTorch 2.13.0: a batch norm that updates its statistics from one element per channel does not export: ZeroDivisionError."""
import sys
import warnings

warnings.filterwarnings("ignore")
import torch


class Model(torch.nn.Module):
    def forward(self, x, mean, variance):
        return torch.batch_norm(x, None, None, mean, variance, True, 0.1, 1e-5, False)


def wrong(label, x):
    mean, variance = torch.zeros(1), torch.ones(1)
    expected = Model()(x, mean.clone(), variance.clone()).tolist()
    try:
        actual = torch.export.export(Model(), (x, mean, variance)).module()(x, mean, variance).tolist()
    except Exception as error:
        actual = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    print(f"{label}: expected (eager) {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}")
    return actual != expected


bug = wrong("one element", torch.tensor([[0.0]]))
control = wrong("control, two elements", torch.tensor([[1.0], [3.0]]))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
