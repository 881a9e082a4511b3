"""LiteRT 2.3.0, the converter of TensorFlow 2.21.0: a constant minus a transpose becomes the transpose minus the
constant, and a constant divided by it the transpose divided by the constant. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

x = np.array([[2, 4], [8, 16]], np.float32)


def wrong(label, function):
    traced = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(x.shape, tf.float32))
    model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    runner = Interpreter(model_content=model, num_threads=1)
    runner.allocate_tensors()
    runner.set_tensor(runner.get_input_details()[0]["index"], x)
    runner.invoke()
    actual, expected = runner.get_tensor(runner.get_output_details()[0]["index"]), function(tf.constant(x)).numpy()
    same = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-5, atol=0)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug = wrong("1 - transpose(x)", lambda x: 1.0 - tf.transpose(x))
bug |= wrong("1 / transpose(x)", lambda x: 1.0 / tf.transpose(x))
bug |= wrong("a tensor of constants - transpose(x)", lambda x: tf.constant([[1.0, 2.0], [3.0, 4.0]]) - tf.transpose(x))
control = wrong("control, 1 - x", lambda x: 1.0 - x)
control |= wrong("control, transpose(x) - 1", lambda x: tf.transpose(x) - 1.0)
control |= wrong("control, transpose(1 - x)", lambda x: tf.transpose(1.0 - x))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
