"""LiteRT 2.3.0: a result of no elements is a ValueError, "Invalid tensor size.", where an empty array is right."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter


def wrong(label, function, x):
    x = np.array(x, np.float32)
    traced = tf.function(function).get_concrete_function(tf.TensorSpec(x.shape, tf.float32))
    model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    runner = Interpreter(model_content=model, num_threads=1)
    runner.allocate_tensors()
    runner.set_tensor(runner.get_input_details()[0]["index"], x)
    runner.invoke()
    expected = function(tf.constant(x)).numpy()
    try:
        actual = runner.get_tensor(runner.get_output_details()[0]["index"])
    except ValueError as error:
        print(f"{label}: expected {expected.tolist()}, actual ValueError: {error}: WRONG")
        return True
    same = np.array_equal(actual, expected)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug = wrong("x[:0] + 1", lambda x: x[:0] + 1, [1, 2])
bug |= wrong("-x of no elements", lambda x: -x, [])
control = wrong("control, the sum of x[:0]", lambda x: tf.reduce_sum(x[:0]), [1, 2])
control |= wrong("control, x[:1] + 1", lambda x: x[:1] + 1, [1, 2])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
