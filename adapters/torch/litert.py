"""litert-torch: litert-torch's converter and LiteRT's interpreter on its own kernels. ?kernels=reference has its plain
ones, a finding's control; ?preserve=yes gives each tensor memory of its own."""

from __future__ import annotations

from adapters.torch.litert_converter import make_litert_torch
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_litert_torch("litert-torch", arguments, False, "litert-torch"))
