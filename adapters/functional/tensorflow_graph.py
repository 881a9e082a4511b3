"""tensorflow: a traced tf.function, its graph rewritten by Grappler and run by TensorFlow's kernels.

The switches are Grappler's optimizers.
"""

from __future__ import annotations

from adapters.functional.tensorflow_program import make_tensorflow
from adapters.worker.loop import serve
from adapters.worker.switches import Switch

SWITCHES = (
    Switch("graph", ("yes", "no")),
    Switch("disable_meta_optimizer", ("no", "yes")),
    Switch("constant_folding", ("yes", "no")),
    Switch("arithmetic_optimization", ("yes", "no")),
    Switch("remapping", ("yes", "no")),
    Switch("layout_optimizer", ("yes", "no")),
    Switch("shape_optimization", ("yes", "no")),
    Switch("dependency_optimization", ("yes", "no")),
    Switch("function_optimization", ("yes", "no")),
)

if __name__ == "__main__":
    serve(lambda arguments: make_tensorflow("tensorflow", arguments, False, SWITCHES, "tensorflow"))
