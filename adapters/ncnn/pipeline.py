"""The way of a case through ncnn: our own .param and .bin, ncnn's loader, an Extractor for each run.

The network runs in light mode, as it does by default: a blob's memory goes back to the pool, or to the layer that
works in place, as soon as its last reader had it. That is what is under test. Halves, bfloat16 and integers as
storage are off, and so is Winograd's convolution: the profile counts roundings of f32.
"""

from __future__ import annotations

import re
import tempfile
from importlib.metadata import version
from pathlib import Path

import ncnn
import numpy as np

from adapters.ncnn import contractions, movement, pointwise  # noqa: F401 - these modules fill the table
from adapters.ncnn.net import Files
from adapters.ncnn.ops import OPS
from adapters.ncnn.writer import write_net
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Stages, System

OFF = (
    *("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed", "use_bf16_storage"),
    *("use_int8_inference", "use_int8_packed", "use_int8_storage", "use_int8_arithmetic"),
    "use_winograd_convolution",
)

_DIAGNOSTIC = re.compile(r"^(?!\[\d+ )\S.*$", re.MULTILINE)  # not the list of devices


class NcnnError(Exception):
    """A status other than 0; what ncnn says of it is on standard error."""


def explain(message: str, written: str) -> str:
    """The status, and the first line that ncnn logged."""
    first = _DIAGNOSTIC.search(written)
    return f"{message}: {first.group(0)}" if first else message


def open_device() -> str:
    """The name of the first Vulkan device; without one, the one line that says so."""
    ncnn.create_gpu_instance()
    if ncnn.get_gpu_count() == 0:
        raise SystemExit("ncnn finds no Vulkan device; Mesa's lavapipe (mesa-vulkan-drivers) is one")
    return ncnn.get_gpu_info(0).device_name()


def profile_of(device: str) -> str:
    """Mesa's lavapipe was measured; another driver promises what Vulkan promises."""
    return "lavapipe" if "llvmpipe" in device else "vulkan"


def load(files: Files, vulkan: bool, packing: bool) -> ncnn.Net:
    net = ncnn.Net()
    for name in OFF:
        setattr(net.opt, name, False)
    net.opt.num_threads = 1
    net.opt.lightmode = True
    net.opt.use_packing_layout = packing
    net.opt.use_vulkan_compute = vulkan
    _check("the .param does not load", net.load_param_mem(files.param))
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        Path(file.name).write_bytes(files.bin)
        _check("the .bin does not load", net.load_model(file.name))
    return net


def _check(what: str, status: int | None) -> None:
    if status:
        raise NcnnError(f"{what} ({status})")


def mat(array: Array) -> ncnn.Mat:
    """A Mat with memory of its own: one that borrows numpy's has no reference count, which light mode asks for."""
    return ncnn.Mat(np.ascontiguousarray(array.reshape(array.shape or (1,)))).clone()


def runner(net: ncnn.Net, files: Files, shapes: list[tuple[int, ...]]) -> Instance:
    held: list[ncnn.Mat] = []  # results are read where they lie, so that a later run that writes there shows

    def run(arrays: list[Array]) -> list[Array]:
        extractor = net.create_extractor()
        for name, array in zip(files.inputs, arrays, strict=True):
            _check(f"the input {name} is not taken", extractor.input(name, mat(array)))
        results = []
        for name, shape in zip(files.outputs, shapes, strict=True):
            status, made = extractor.extract(name)
            _check("a run fails", status)
            held.append(made)
            array = np.asarray(made)
            # ncnn has no tensor without dims; any other difference in sizes is its own.
            results.append(array.reshape(()) if shape == () and array.shape == (1,) else array)
        return results

    return run


SWITCHES = (Switch("packing", ("on", "off")),)


def make_ncnn(name: str, arguments: list[str], vulkan: bool) -> System:
    """The target; ?packing=off keeps blobs unpacked, which is a finding's control."""
    packing = parse(arguments, SWITCHES)["packing"] == "on"
    device = open_device() if vulkan else ""
    profile = profile_of(device) if vulkan else "ncnn"

    def build(written: Written, stages: Stages) -> Program:
        files = write_net(written.graph)
        shapes = [value.shape for value in written.graph.outputs]

        def start() -> Instance:
            with stages("lower"):
                net = load(files, vulkan, packing)
            return runner(net, files, shapes)

        return Program(start)

    versions = {"ncnn": version("ncnn")} | ({"device": device} if vulkan else {})
    return make_system(
        name,
        version("ncnn"),
        ["f32"],
        profile,
        build,
        versions=versions,
        explain=explain,
        ops=OPS,
        more={"switches": declared(SWITCHES)},
    )
