"""litert-torch-xnnpack: litert-torch's converter and LiteRT's interpreter with the XNNPACK delegate."""

from __future__ import annotations

from adapters.torch.litert_converter import make_litert_torch
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_litert_torch("litert-torch-xnnpack", arguments, True, "litert-torch-xnnpack"))
