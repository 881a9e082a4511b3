"""LiteRT 2.3.0, XNNPACK: sin and cos of 1e9 and more are far outside of -1 to 1, and NaN of 1e20."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def wrong(label, function, x, kernels=OpResolverType.BUILTIN):  # the default: XNNPACK takes what it can
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


KERNELS = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES  # LiteRT's own
LARGE = [1e8, 1e9, 1e10, 1e20]
bug = wrong("sin", tf.sin, LARGE)
bug |= wrong("cos", tf.cos, LARGE)
control = wrong("control, LiteRT's kernels, sin", tf.sin, LARGE, KERNELS)
control |= wrong("control, LiteRT's kernels, cos", tf.cos, LARGE, KERNELS)
control |= wrong("control, small numbers, sin", tf.sin, [1, 100, 1e4])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
