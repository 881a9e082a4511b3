"""OpenVINO 2026.4.1, CPU: the least integer of 32 bits, converted to boolean, is false. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino as ov
from openvino import opset15 as op

LEAST = -(2**31)


def run(node, x, values):
    model = ov.Model([node], [x])
    return ov.compile_model(model, "CPU")({0: values})[0].astype(bool).tolist()


def wrong(label, actual, expected):
    right = actual == expected
    print(f"{label}: expected {expected}, actual {actual}: {'right' if right else 'WRONG'}")
    return not right


def converted(dtype, values):
    x = op.parameter([len(values)], ov.Type(dtype))
    return run(op.convert(x, "boolean"), x, np.array(values, dtype))


x = op.parameter([3], ov.Type(np.int32))
not_zero = run(op.not_equal(x, op.constant(np.array(0, np.int32))), x, np.array([LEAST, LEAST + 1, 0], np.int32))
control = wrong("control, NotEqual to 0", not_zero, [True, True, False])
control |= wrong("control, the least i16", converted(np.int16, [-(2**15), 0]), [True, False])
control |= wrong("control, one more", converted(np.int32, [LEAST + 1, 0]), [True, False])
bug = wrong("Convert of the least i32", converted(np.int32, [LEAST, 0]), [True, False])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
