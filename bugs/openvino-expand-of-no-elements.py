"""An Expand of a tensor without elements dies of SIGFPE in compile_model. Exit 1 where the bug shows."""

import os
import sys

import numpy as np
import openvino
from onnx import checker, parser


def fails(body, sizes, expected):
    """Whether it dies, or gives other sizes, in a process of its own."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        dims = ["{}, {}".format(*some) for some in (sizes, expected)]
        model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[{dims[0]}] x) => (float[{dims[1]}] y) <int64[2] sizes = {{{dims[1]}}}, int64[2] repeats = {{1, 2}}> {{ {body} }}')
        checker.check_model(model, full_check=True)
        compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        actual = list(next(iter(compiled([np.ones(sizes, np.float32)]).values())).shape)
        print(f"{body}, x of sizes {sizes}: expected sizes {expected}, actual sizes {actual}", flush=True)
        os._exit(0 if actual == expected else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"{body}, x of sizes {sizes}: expected sizes {expected}, the process died of signal {os.WTERMSIG(status)}")
    return status != 0


expand = "y = Expand (x, sizes)"
bug = fails(expand, [0, 1], [0, 2])
fails(expand, [2, 0], [2, 0])
if fails(expand, [2, 1], [2, 2]) or fails("y = Tile (x, repeats)", [0, 1], [0, 2]):
    print("the control fails too")
    sys.exit(2)
sys.exit(1 if bug else 0)
