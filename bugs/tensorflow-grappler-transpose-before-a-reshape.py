"""TensorFlow 2.21.0: Grappler drops a reshape behind transposes that cancel, and the result has another shape."""
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf

x = np.arange(6, dtype=np.float32)
expected = x.reshape(3, 2)


def wrong(label, orders):
    def case(x):
        turned = tf.reshape(x, [2, 3])
        for order in orders:
            turned = tf.transpose(turned, order)
        return tf.identity(tf.reshape(turned, [3, 2]))

    made = tf.function(case, autograph=False)(tf.constant(x)).numpy()
    same = made.shape == expected.shape and (made == expected).all()
    print(f"{label}: expected {list(expected.shape)}, actual {list(made.shape)} {made.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug = wrong("reshape to [2, 3], transpose by [1, 0], [0, 1] and [1, 0], reshape to [3, 2]", [[1, 0], [0, 1], [1, 0]])
control = wrong("control, transpose by [1, 0] and [1, 0]", [[1, 0], [1, 0]])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
