"""TensorFlow 2.21.0: Grappler fuses x * tanh(softplus(x)) into oneDNN's Mish, whose relative error is 1.7e-4 at -9."""
import math
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf


def mish(x):
    return tf.identity(x * tf.tanh(tf.math.softplus(x)))


def wrong(label, function, x):
    actual = float(function(tf.constant([x], tf.float32)).numpy()[0])
    expected = x * math.tanh(math.log1p(math.exp(x)))
    error = abs(actual - expected) / abs(expected)
    print(f"{label} at {x}: expected {expected:.9g}, actual {actual:.9g}, relative error {error:.2g}: {'WRONG' if error > 1e-5 else 'right'}")
    return error > 1e-5


bug = [wrong("a graph", tf.function(mish, autograph=False), x) for x in (-9.0, -12.0, -16.0)]
control = [wrong("control, operation by operation", mish, x) for x in (-9.0, -12.0, -16.0)]
if any(control):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if any(bug) else 0)
