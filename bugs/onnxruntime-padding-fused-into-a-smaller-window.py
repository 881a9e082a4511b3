"""A Pad before an AveragePool of windows of one element: the session is refused. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime


def run(pool, level):
    text = f"""<ir_version: 9, opset_import: ["" : 20]>
    g (float[1,1,1,1] x) => (float[1,1,h,w] y) <int64[8] pads = {{0, 0, 1, 1, 0, 0, 1, 1}}> {{
        p = Pad(x, pads)
        y = {pool}(p)
    }}"""
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.full((1, 1, 1, 1), 8, dtype=np.float32)})[0]


def wrong(label, pool, expected, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    try:
        actual = run(pool, level)[0, 0].tolist()
    except Exception as error:
        print(label, "| expected", expected, "| error:", str(error).strip()[-90:])
        return True
    print(label, "| expected", expected, "| actual", actual)
    return actual != expected


alone = [[0, 0, 0], [0, 8, 0], [0, 0, 0]]
bug = wrong("windows of one element", "AveragePool<kernel_shape = [1, 1]>", alone)
bug |= wrong("maxima of one element", "MaxPool<kernel_shape = [1, 1]>", alone)
control = wrong("control: windows of 2 by 2", "AveragePool<kernel_shape = [2, 2]>", [[2, 2], [2, 2]])
control |= wrong("control: without optimizations", "AveragePool<kernel_shape = [1, 1]>", alone,
                 onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)  # fmt: skip
sys.exit(2 if control else int(bug))
