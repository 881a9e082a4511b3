#!/usr/bin/env python3
# Exit code: 1 where the divergence shows, 0 where it does not, 2 where eager itself raises. With a traceback it did
# not run.
#
# What to look at.
# On two lines.
import sys
from importlib.metadata import version

import torch


class Bug(torch.nn.Module):
    def __init__(self):
        super().__init__()
        kept = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float32)
        self.half_ = torch.tensor([0.5, float("-inf"), float("nan")], dtype=torch.float16)
        self.register_buffer("cache", torch.tensor([0.0, -0.0], dtype=torch.float32))
        self.register_buffer("head", torch.as_strided(kept, [2], [1], 2))

    def forward(self, x, w0, turned):
        a = torch.ops.aten.sigmoid.default(x)
        sum = torch.ops.aten.add_.Tensor(w0, a, alpha=0.5)
        update = torch.ops.aten.add_.Tensor(self.cache, self.head)
        flat = torch.ops.aten.view.default(a, [3, 2])
        p = torch.ops.aten.split.Tensor(flat, 2)
        p_0 = p[0]
        last = p[1]
        z = torch.ops.aten.neg.default(last)
        whole = torch.ops.aten.cat.default([p_0, last])
        return (sum, last, z, z, x, whole)


def inputs():
    s0 = torch.tensor([1.8183885, 1.0006089, -1.5432905, -1.6573685, -0.37215838, 1.1811361, -1.3128053, 1.8314167, -1.9756994, -1.9661876, 1.2306205, 1.3947221], dtype=torch.float32)
    x = torch.tensor([[0.0, 1.0, float("nan")], [float("inf"), float("-inf"), -1.5]], dtype=torch.float32)
    turned = torch.as_strided(torch.tensor([1, 3, 2, 4], dtype=torch.int64), [2,2], [1,2], 0)
    w0 = torch.as_strided(s0, [2,3], [6,2], 1)
    return {"x": x, "w0": w0, "turned": turned}


TARGET = "eager against what is recorded"
PACKAGES = ("torch",)
NAMES = ("Bug",)
FEEDS = (inputs,)
EXPECTED = {
    "input w0": torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float32),
    "buffer cache": torch.tensor([3.0, 4.0], dtype=torch.float32),
}
torch.set_grad_enabled(False)


def observe(way, call, buffers, given, returned):
    """What a run returns, and what it leaves in the inputs and buffers, by name; what it returns itself is kept."""
    outputs = call(*given.values())
    places = {f"out[{i}]": tensor for i, tensor in enumerate(outputs)}
    places |= {f"input {name}": tensor for name, tensor in given.items()}
    places |= {f"buffer {name}": tensor for name, tensor in buffers().items()}
    returned.append(outputs)
    return {place: tensor.detach().clone() for place, tensor in places.items()}


def eager(module, example):
    return module, lambda: dict(module.named_buffers())


def run(way, make_module, feeds):
    """Runs of one fresh module, one after the other: it keeps its buffers between them."""
    call, buffers = way(make_module(), tuple(feeds[0]().values()))
    returned = []
    seen = [observe(way, call, buffers, feed(), returned) for feed in feeds]
    places = {f"run {i + 1}, {place}" if i else place: one for i, run in enumerate(seen) for place, one in run.items()}
    if len(feeds) > 1:
        places |= {f"out[{i}] read again": tensor.detach().clone() for i, tensor in enumerate(returned[0])}
    return places


def differs(expected, actual):
    try:
        torch.testing.assert_close(actual, expected, equal_nan=True)
    except AssertionError:
        return True
    return False


def compare(expected, actual):
    """Lines for a person, and whether something differs; what only one side has is shown and not held against it."""
    lines, diverges = [], False
    for place in dict.fromkeys([*expected, *actual]):
        wanted, got = expected.get(place), actual.get(place)
        first = expected.get(place.removesuffix(" read again"))
        if wanted is not None and first is not wanted and differs(first, wanted):
            continue  # a later run writes it in eager, too: memory that is shared, which a target need not share
        if got is None:
            lines.append(f"  {place}: not handed back, expected {wanted}")
        elif wanted is None or not differs(wanted, got):
            lines.append(f"  {place}: {got}")
        else:
            lines.append(f"  {place}: expected {wanted}\n  {' ' * len(place)}  actual   {got}   <-- differs")
            diverges = True
    return lines, diverges


def sides(make_module, eagerly):
    return EXPECTED, eagerly


def show(name):
    """Prints what Bug or Control gives; returns whether it diverges."""
    print(f"{name}: {TARGET}")
    make_module = globals()[name]
    try:
        eagerly = run(eager, make_module, FEEDS)
    except Exception as error:
        print(f"  eager itself raises {type(error).__name__}: {error}")
        sys.exit(2)
    try:
        expected, actual = sides(make_module, eagerly)
    except Exception as error:
        print(f"  raises {type(error).__name__}: {error}")
        return True
    lines, diverges = compare(expected, actual)
    print("\n".join(lines))
    return diverges


if __name__ == "__main__":
    for package in PACKAGES:
        print(package, version(package))
    diverged = [show(name) for name in sys.argv[1:] or NAMES]
    sys.exit(1 if diverged[0] else 0)
