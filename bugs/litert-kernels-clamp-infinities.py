"""LiteRT 2.3.0, its own kernels: ADD, SUB, MUL, DIV, AVERAGE_POOL_2D and CONV_2D without an activation make the largest
finite number of an infinity. Exit 1 where the bug shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def wrong(label, function, x, kernels=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
    x = np.array(x, np.float32)
    traced = tf.function(function, autograph=False).get_concrete_function(tf.TensorSpec(x.shape, tf.float32))
    model = tf.lite.TFLiteConverter.from_concrete_functions([traced], tf.Module()).convert()
    runner = Interpreter(model_content=model, experimental_op_resolver_type=kernels, num_threads=1)
    runner.allocate_tensors()
    runner.set_tensor(runner.get_input_details()[0]["index"], x)
    runner.invoke()
    actual, expected = runner.get_tensor(runner.get_output_details()[0]["index"]), function(tf.constant(x)).numpy()
    same = np.array_equal(actual, expected)
    sides = f"expected {expected.ravel().tolist()}, actual {actual.ravel().tolist()}"
    print(f"{label}: {sides}: {'right' if same else 'WRONG'}")
    return not same


INF = float("inf")
bug = wrong("x + 1", lambda x: x + 1, [INF, -INF])
bug |= wrong("x - 1", lambda x: x - 1, [INF, -INF])
bug |= wrong("x * 2", lambda x: x * 2, [INF, 3e38])
bug |= wrong("1 / x", lambda x: 1 / x, [0.0, -0.0])
bug |= wrong("average pool", lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"), np.full((1, 2, 2, 1), INF))
bug |= wrong("convolution", lambda x: tf.nn.conv2d(x, tf.ones((1, 1, 1, 1)), 1, "VALID"), np.full((1, 1, 1, 1), INF))
control = wrong("control, finite, x + 1", lambda x: x + 1, [3e38, -3e38])
control |= wrong("control, log(x)", lambda x: tf.math.log(x), [0.0, INF])
control |= wrong("control, XNNPACK, x + 1", lambda x: x + 1, [INF, -INF], OpResolverType.BUILTIN)
control |= wrong("control, XNNPACK, 1 / x", lambda x: 1 / x, [0.0, -0.0], OpResolverType.BUILTIN)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
