"""opencv: the dnn module on the CPU. --engine=new|classic is the one of its two graph engines that reads the model.

The engine is always named: left to itself, the module tries the new one and falls back to the classic one in silence,
so that nobody knows which of the two has answered. OpenCV 4 has the classic one alone. --fusion=off leaves the layers
unfused and --winograd=off the convolutions direct: a finding that goes away then is an optimization's doing.
--sizes=model gives each result the sizes that the model says, where it has as many elements: what else is wrong is seen
behind a scalar that came back as [1], or a vector that OpenCV 4 hands back as a column.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version

import cv2
import numpy as np

from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.loop import serve
from adapters.worker.system import Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"DNN/MatMul: invalid shape of input [AB] \(expected: 'shape_[AB]\.size\(\)",
        "modules/dnn/src/layers/matmul_layer.cpp of OpenCV: MatMul takes no vectors",
    ),
    Rejection(
        r"Can't create layer \"[^\"]*\" of type|DNN/ONNX: unsupported (operator|layer)|parser has not been found",
        "modules/dnn/src/onnx of OpenCV: the table of its ONNX importer's operators",
        stage="lower",
    ),
)

# What names each to the reader: nothing where there is one alone, as in OpenCV 4.
ENGINES: dict[str, tuple[int, ...]] = (
    {"new": (cv2.dnn.ENGINE_NEW,), "classic": (cv2.dnn.ENGINE_CLASSIC,)}
    if hasattr(cv2.dnn, "ENGINE_NEW")
    else {"classic": ()}
)


class EmptyNetError(Exception):
    """The model was not read."""


def read(model: bytes, options: argparse.Namespace) -> cv2.dnn.Net:
    net = cv2.dnn.readNetFromONNX(np.frombuffer(model, dtype=np.uint8), *ENGINES[options.engine])
    if net.empty():  # the new engine's reader gives up without an exception: it says why on standard error
        raise EmptyNetError("readNetFromONNX gave an empty network")
    net.enableFusion(options.fusion == "on")
    net.enableWinograd(options.winograd == "on")
    return net


def make(arguments: list[str]) -> System:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=ENGINES, default=next(iter(ENGINES)))
    parser.add_argument("--fusion", choices=("on", "off"), default="on")
    parser.add_argument("--winograd", choices=("on", "off"), default="on")
    parser.add_argument("--sizes", choices=("system", "model"), default="system")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)

    def build(written: Written, stages: Stages) -> Program:
        used = {name for _, operands, _, _ in written.graph.nodes for name in operands}
        if written.graph.holds_empty(array for name, array in written.graph.initializers.items() if name in used):
            raise UnsupportedError("an empty tensor: a Mat without elements has no sizes")
        model = written.graph.serialize()
        names = [value.name for value in written.graph.inputs]
        results = written.graph.outputs

        def start() -> Instance:
            with stages("lower"):
                net = read(model, options)

            def run(arrays: list[Array]) -> list[Array]:
                for name, array in zip(names, arrays, strict=True):
                    if name in used:
                        net.setInput(array, name)
                made = net.forward([value.name for value in results])
                # Copies: a Mat may be the network's own memory, which the next run writes to.
                copies = [np.array(one) for one in made]
                if options.sizes == "model":
                    copies = [
                        one.reshape(value.shape) if one.size == value.numel else one
                        for one, value in zip(copies, results, strict=True)
                    ]
                return copies

            return run

        return Program(start)

    versions = {name: version(name) for name in ("numpy", "onnx")}
    installed = version("opencv-python-headless")
    return make_system("opencv", installed, ["f32"], "opencv", build, REJECTIONS, versions)


if __name__ == "__main__":
    serve(make)
