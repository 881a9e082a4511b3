"""LiteRT 2.3.0 with TensorFlow 2.21.0's converter: softplus is log(exp(x) + 1), which overflows: of 100 it is 88.7, and with XNNPACK infinite."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def wrong(label, function, x, kernels):
    x = np.array(x, np.float32)
    traced = tf.function(function).get_concrete_function(tf.TensorSpec(x.shape, tf.float32))
    model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    runner = Interpreter(model_content=model, experimental_op_resolver_type=kernels, num_threads=1)
    runner.allocate_tensors()
    runner.set_tensor(runner.get_input_details()[0]["index"], x)
    runner.invoke()
    actual, expected = runner.get_tensor(runner.get_output_details()[0]["index"]), function(tf.constant(x)).numpy()
    same = np.allclose(actual, expected, rtol=1e-5, atol=1e-5)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug, control = False, False
for name, kernels in (("LiteRT's kernels", OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES), ("XNNPACK", OpResolverType.BUILTIN)):
    bug |= wrong(f"softplus, {name}", tf.math.softplus, [89, 100, 1000], kernels)
    bug |= wrong(f"log_sigmoid, {name}", tf.math.log_sigmoid, [-89, -100, -1000], kernels)
    control |= wrong(f"control, small numbers, {name}", tf.math.softplus, [-1, 1, 20], kernels)
    control |= wrong(f"control, max(x, 0) + log(1 + exp(-|x|)), {name}", lambda x: tf.maximum(x, 0.0) + tf.math.log(1 + tf.exp(-tf.abs(x))), [89, 100, 1000], kernels)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
