"""LiteRT's converter (TensorFlow 2.21.0) makes GREATER_EQUAL of not (x < y), which differ where one of them is NaN.
Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType

x = np.array([float("nan"), 0.0, 1.0], np.float32)


def wrong(label, case, expected):
    function = tf.function(case, autograph=False).get_concrete_function(tf.TensorSpec([3], tf.float32))
    holder = tf.Module()
    holder.function = function
    model = tf.lite.TFLiteConverter.from_concrete_functions([function], holder).convert()
    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    actual = interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tolist()
    print(f"{label}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}", flush=True)
    return actual != expected


bug = wrong("not x < 0.5", lambda x: tf.logical_not(tf.less(x, 0.5)), [True, False, True])
bug |= wrong("not x <= 0.5", lambda x: tf.logical_not(tf.less_equal(x, 0.5)), [True, False, True])
bug |= wrong("not x > 0.5", lambda x: tf.logical_not(tf.greater(x, 0.5)), [True, True, False])
bug |= wrong("not x >= 0.5", lambda x: tf.logical_not(tf.greater_equal(x, 0.5)), [True, True, False])
control = wrong("control, x < 0.5", lambda x: tf.less(x, 0.5), [False, True, False])
control |= wrong("control, not x == 0", lambda x: tf.logical_not(tf.equal(x, 0.0)), [True, False, True])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
