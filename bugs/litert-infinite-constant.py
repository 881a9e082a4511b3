"""LiteRT 2.3.0, the converter of TensorFlow 2.21.0: an infinite constant becomes the largest finite number, also the
one that a division by a constant 0 makes: 0 / 0 is 0. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter


def wrong(label, function, *operands):
    operands = [np.array(x, np.float32) for x in operands]
    specs = [tf.TensorSpec(x.shape, tf.float32) for x in operands]
    traced = tf.function(function, autograph=False).get_concrete_function(*specs)
    model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    runner = Interpreter(model_content=model, num_threads=1)  # the default: XNNPACK takes what it can
    runner.allocate_tensors()
    for place, x in zip(sorted(runner.get_input_details(), key=lambda place: place["name"]), operands):
        runner.set_tensor(place["index"], x)
    runner.invoke()
    actual = runner.get_tensor(runner.get_output_details()[0]["index"])
    expected = function(*map(tf.constant, operands)).numpy()
    same = np.array_equal(actual, expected, equal_nan=True)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


INF = float("inf")
bug = wrong("where(x > 0, x, -inf)", lambda x: tf.where(x > 0, x, -INF), [1.0, -1.0])
bug |= wrong("x * inf", lambda x: x * INF, [0.0, 0.5, -0.5])
bug |= wrong("x / 0", lambda x: x / 0.0, [0.0, 0.5, -0.5])
control = wrong("control, where(x > 0, x, y)", lambda x, y: tf.where(x > 0, x, y), [1.0, -1.0], [-INF, -INF])
control |= wrong("control, x * y", lambda x, y: x * y, [0.0, 0.5, -0.5], [INF, INF, INF])
control |= wrong("control, x / y", lambda x, y: x / y, [0.0, 0.5, -0.5], [0.0, 0.0, 0.0])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
