"""A Gather by no indices, or of data without elements, dies of SIGFPE when it is run. Exit 1 where the bug shows."""

import os
import sys

import numpy as np
import openvino
from onnx import checker, parser


def fails(sizes, axis, indices, expected):
    """Whether it dies, or gives other sizes, in a process of its own."""
    told = f"Gather of x {sizes} along dim {axis} by {indices}: expected sizes {expected}"
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        dims = ["{}, {}".format(*some) for some in (sizes, expected)]
        model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[{dims[0]}] x, int64[{len(indices)}] i) => (float[{dims[1]}] y) {{ y = Gather <axis = {axis}> (x, i) }}')
        checker.check_model(model, full_check=True)
        core = openvino.Core()
        compiled = core.compile_model(core.read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        feed = {"x": np.ones(sizes, np.float32), "i": np.array(indices, np.int64)}
        actual = list(next(iter(compiled(feed).values())).shape)
        print(f"{told}, actual sizes {actual}", flush=True)
        os._exit(0 if actual == expected else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(f"{told}, the process died of signal {os.WTERMSIG(status)}")
    return status != 0


bug = fails([4, 2], 0, [], [0, 2])
bug = fails([0, 4], 1, [2, 0], [0, 2]) or bug
if fails([4, 2], 0, [1], [1, 2]) or fails([1, 4], 1, [2, 0], [1, 2]):
    print("the control fails too")
    sys.exit(2)
sys.exit(1 if bug else 0)
