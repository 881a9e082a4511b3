"""TensorFlow 2.21.0: Grappler takes argmax of floor, relu or tanh of x for argmax of x, which names another place where
several results are equal. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import tensorflow as tf


def wrong(label, function, numbers):
    x = tf.constant(numbers)
    expected, actual = int(function(x)), int(tf.function(function, autograph=False)(x))
    print(f"{label} of {numbers}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}")
    return actual != expected


bug = wrong("argmax(floor(x))", lambda x: tf.argmax(tf.floor(x)), [1.25, 1.75, 1.5])
bug |= wrong("argmax(relu(x))", lambda x: tf.argmax(tf.nn.relu(x)), [-2.0, -1.0, -3.0])
bug |= wrong("argmin(relu(x))", lambda x: tf.argmin(tf.nn.relu(x)), [1.0, -1.0, -3.0])
bug |= wrong("argmax(tanh(x))", lambda x: tf.argmax(tf.tanh(x)), [20.0, 30.0, 10.0])
control = wrong("control, argmax(x)", tf.argmax, [1.0, 1.0, 1.0])
control |= wrong("control, argmax(floor(x)), one largest", lambda x: tf.argmax(tf.floor(x)), [1.25, 2.75, 1.5])
tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})
label = "control, without arithmetic optimization, argmax(floor(x))"
control |= wrong(label, lambda x: tf.argmax(tf.floor(x)), [1.25, 1.75, 1.5])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
