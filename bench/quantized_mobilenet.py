"""Writes MobileNetV2 as PyTorch's quantizer for XNNPACK leaves it, for `parallax import`.

Run it with ExecuTorch's environment, to which torchvision of the same PyTorch was added:

    pip install torchvision --no-deps
    python bench/quantized_mobilenet.py mobilenet.pt2

The weights are random, and the statistics of the batch norms those of random pictures, so that activations keep their
size.
"""

import argparse

import torch


def declare_torchvision_ops() -> torch.library.Library:
    """Declares what torchvision registers shapes for, where its compiled operations do not load; lives as they do."""
    library = torch.library.Library("torchvision", "FRAGMENT")
    backward = "roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d"
    for name in ["nms", "qnms", *backward, *(f"_{name}_backward" for name in backward)]:
        if not hasattr(torch.ops.torchvision, name):
            library.define(f"{name}(Tensor a) -> Tensor")
    return library


def quantized(size: int) -> torch.export.ExportedProgram:
    """The exported program for pictures of `size` by `size`, weights quantized by channel."""
    library = declare_torchvision_ops()
    import torchvision
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    torch.manual_seed(0)
    network = torchvision.models.mobilenet_v2(weights=None)
    network.train()
    with torch.no_grad():
        for _ in range(4):
            network(torch.randn(8, 3, size, size))
    network.eval()
    example = (torch.randn(1, 3, size, size),)
    exported = torch.export.export(network, example, strict=True).module()
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(exported, quantizer)
    with torch.no_grad():
        for _ in range(4):
            prepared(torch.randn(1, 3, size, size))
    program = torch.export.export(convert_pt2e(prepared), example, strict=True)
    del library
    return program


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", help="the .pt2 to write")
    parser.add_argument("--size", type=int, default=96, help="height and width of the picture (default 96)")
    options = parser.parse_args()
    torch.export.save(quantized(options.size), options.output)


if __name__ == "__main__":
    main()
