"""tensorflow-xla: a tf.function with jit_compile, which XLA compiles whole."""

from __future__ import annotations

from adapters.functional.tensorflow_program import make_tensorflow
from adapters.worker.loop import serve
from adapters.worker.switches import Switch

SWITCHES = (Switch("graph", ("yes", "no")),)

if __name__ == "__main__":
    serve(lambda arguments: make_tensorflow("tensorflow-xla", arguments, True, SWITCHES, "tensorflow-xla"))
