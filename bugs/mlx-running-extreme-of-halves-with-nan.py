"""MLX 0.32.4, CPU: the running maximum and minimum of halves are 0 where a NaN was met. Exit 1 where the bug shows."""

import sys

import mlx.core as mx

mx.set_default_device(mx.cpu)
NAN = float("nan")


def wrong(label, function, dtype, given, expected):
    actual = function(mx.array(given, dtype=dtype), axis=0)
    right = mx.array_equal(actual, mx.array(expected, dtype=dtype), equal_nan=True).item()
    print(f"{label}: expected {expected}, actual {actual.tolist()}: {'right' if right else 'WRONG'}")
    return not right


control = wrong("control, f32", mx.cummax, mx.float32, [1.0, NAN, -2.0], [1.0, NAN, NAN])
control |= wrong("control, f16 without NaN", mx.cummax, mx.float16, [1.0, 3.0, -2.0], [1.0, 3.0, 3.0])
bug = wrong("cummax, f16", mx.cummax, mx.float16, [1.0, NAN, -2.0], [1.0, NAN, NAN])
bug |= wrong("cummin, bf16", mx.cummin, mx.bfloat16, [1.0, NAN, 2.0], [1.0, NAN, NAN])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
