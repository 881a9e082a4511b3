"""TensorFlow 2.21.0: Grappler makes x >= y of not (x < y), which differ where one of them is NaN. Exit 1 where the bug
shows."""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
import numpy as np
import tensorflow as tf

x = np.array([float("nan"), 0.0, 1.0], np.float32)
COMPARISONS = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
OURS = {"<": tf.less, "<=": tf.less_equal, ">": tf.greater, ">=": tf.greater_equal}


def wrong(label, sign, case):
    expected = np.logical_not(COMPARISONS[sign](x, np.float32(0.5))).tolist()
    actual = np.array(case(tf.constant(x))).tolist()
    print(f"{label}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}")
    return actual != expected


def cases():
    for sign, compare in OURS.items():
        yield sign, tf.function(lambda x, compare=compare: tf.logical_not(compare(x, 0.5)), autograph=False)


bug = False
for sign, case in cases():
    bug |= wrong(f"not x {sign} 0.5", sign, case)
control = wrong("control, not x < 0.5, eager", "<", lambda x: tf.logical_not(tf.less(x, 0.5)))
tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})
for sign, case in cases():
    control |= wrong(f"control, not x {sign} 0.5, without arithmetic optimization", sign, case)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
