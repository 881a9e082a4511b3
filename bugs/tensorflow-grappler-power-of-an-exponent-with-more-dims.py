"""TensorFlow 2.21.0: Grappler makes a Square of a power by a constant 2, whatever the constant's sizes, and the result
loses the dims that the exponent brings. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf

x = np.array([1.0, 4.0], np.float32)


def wrong(label, exponent):
    exponent = np.array(exponent, np.float32)
    expected = np.power(x, exponent)
    actual = tf.function(lambda x: tf.pow(x, exponent), autograph=False)(tf.constant(x)).numpy()
    same = actual.shape == expected.shape and np.allclose(actual, expected)
    sizes = f"expected {list(expected.shape)}, actual {list(actual.shape)} {actual.tolist()}"
    print(f"{label}: {sizes}: {'right' if same else 'WRONG'}")
    return not same


bug = False
for number in (2.0, 3.0, 0.5, -0.5, -1.0):
    bug |= wrong(f"exponent {number} of [2, 1]", [[number], [number]])
control = wrong("control, exponent 1.5 of [2, 1]", [[1.5], [1.5]])
control |= wrong("control, exponent 1 of [2, 1]", [[1.0], [1.0]])
control |= wrong("control, exponent 2 of [1]", [2.0])
tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})
control |= wrong("control, exponent 2 of [2, 1], without arithmetic optimization", [[2.0], [2.0]])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
