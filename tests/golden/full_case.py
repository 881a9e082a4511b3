# What to look at.
# On two lines.
import torch


class Bug(torch.nn.Module):
    def __init__(self, kept):
        super().__init__()
        self.half_ = torch.tensor([0.5, float("-inf"), float("nan")], dtype=torch.float16)
        self.register_buffer("cache", torch.tensor([0.0, -0.0], dtype=torch.float32))
        self.register_buffer("head", torch.as_strided(kept, [2], [1], 2))

    def forward(self, x, w0, turned):
        half_ = self.half_
        cache = self.cache
        head = self.head
        a = torch.ops.aten.sigmoid.default(x)
        sum = torch.ops.aten.add_.Tensor(w0, a, alpha=0.5)
        update = torch.ops.aten.add_.Tensor(cache, head)
        flat = torch.ops.aten.view.default(a, [3, 2])
        p = torch.ops.aten.split.Tensor(flat, 2)
        p_0 = p[0]
        last = p[1]
        z = torch.ops.aten.neg.default(last)
        whole = torch.ops.aten.cat.default([p_0, last])
        return (sum, last, z, z, x, whole)


kept = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float32)
s0 = torch.tensor([1.8183885, 1.0006089, -1.5432905, -1.6573685, -0.37215838, 1.1811361, -1.3128053, 1.8314167, -1.9756994, -1.9661876, 1.2306205, 1.3947221], dtype=torch.float32)
x = torch.tensor([0.0, 1.0, float("nan"), float("inf"), float("-inf"), -1.5], dtype=torch.float32).reshape([2,3])
turned = torch.as_strided(torch.tensor([1, 3, 2, 4], dtype=torch.int64), [2,2], [1,2], 0)
w0 = torch.as_strided(s0, [2,3], [6,2], 1)

module = Bug(kept)
outputs = module(x, w0, turned)
for index, output in enumerate(outputs):
    print(f"out[{index}] =", output)
print("w0 after the run =", w0)
print("cache after the run =", module.cache)
# w0 after the run must be f32[2,3] [1, 2, 3, 4, 5, 6]
# cache after the run must be f32[2] [3, 4]
