"""TensorFlow 2.21.0: tf.nn.gelu of float64 multiplies by a root of 1/2 that was rounded to float32."""
import math
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import tensorflow as tf


def wrong(label, function, expected):
    actual = float(function(tf.constant(1.0, tf.float64)))
    far = abs(actual - expected) > 1e-13
    print(f"{label}: expected {expected:.17g}, actual {actual:.17g}: {'WRONG' if far else 'right'}")
    return far


exact = 0.5 * (1 + math.erf(1 / math.sqrt(2)))
bug = wrong("gelu(1)", tf.nn.gelu, exact)
control = wrong(
    "control, its formula with a float64 constant",
    lambda x: 0.5 * x * (1 + tf.math.erf(x / tf.constant(math.sqrt(2), tf.float64))),
    exact,
)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
