"""TensorFlow 2.21.0: elu and selu are exp(x) - 1 in the operand's dtype: of bf16 -0.001 they are 0, of f32 -1e-8 too."""
import math
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import tensorflow as tf

SCALE = {tf.nn.elu: 1.0, tf.nn.selu: 1.0507009873554805 * 1.6732632423543772}
TOLERANCES = {tf.bfloat16: 0.016, tf.float16: 0.005, tf.float32: 1e-5}


def wrong(function, dtype, x, jit=False):
    x = tf.constant([x], dtype)
    actual = float(tf.function(function, jit_compile=jit)(x)[0])
    expected = SCALE[function] * math.expm1(float(x[0]))
    error = abs(actual - expected) / abs(expected)
    bad = error > TOLERANCES[dtype]
    print(f"{function.__name__} of {dtype.name} {float(x[0]):.6g}{' by XLA' if jit else ''}: expected {expected:.6g}, actual {actual:.6g}: {'WRONG' if bad else 'right'}")
    return bad


CASES = [(f, d, x) for f in SCALE for d, x in ((tf.bfloat16, -1e-3), (tf.float16, -1e-3), (tf.float32, -1e-6), (tf.float32, -1e-8))]
bug = [wrong(*case) for case in CASES]
control = [wrong(*case, jit=True) for case in CASES]
if any(control):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if any(bug) else 0)
