"""LiteRT 2.3.0, the converter of TensorFlow 2.21.0: a bool cast to a number and compared with 0 by >= or < is an error
of the converter's own. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

x = np.array([True, False, True])


def wrong(label, function):
    expected = function(tf.constant(x)).numpy()
    traced = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(x.shape, tf.bool))
    try:
        model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    except Exception as error:
        told = next(line for line in str(error).splitlines() if "error: " in line).split("error: ")[1]
        print(f"{label}: expected {expected.tolist()}, actual {type(error).__name__}: {told}: WRONG")
        return True
    runner = Interpreter(model_content=model, num_threads=1)
    runner.allocate_tensors()
    runner.set_tensor(runner.get_input_details()[0]["index"], x)
    runner.invoke()
    actual = runner.get_tensor(runner.get_output_details()[0]["index"])
    same = (actual == expected).all()
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug = wrong("cast(x, int32) >= 0", lambda x: tf.cast(x, tf.int32) >= 0)
bug |= wrong("cast(x, float32) >= 0", lambda x: tf.cast(x, tf.float32) >= 0.0)
bug |= wrong("cast(x, int32) < 0", lambda x: tf.cast(x, tf.int32) < 0)
control = wrong("control, cast(x, int32) > 0", lambda x: tf.cast(x, tf.int32) > 0)
control |= wrong("control, cast(x, int32) < 2", lambda x: tf.cast(x, tf.int32) < 2)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
