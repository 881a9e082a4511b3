"""tensorflow-xla: a tf.function with jit_compile, which XLA compiles whole."""

from __future__ import annotations

from adapters.functional.tensorflow_program import make_tensorflow
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, parse

SWITCHES = (Switch("graph", ("yes", "no")),)


def profile_of(arguments: list[str]) -> str:
    """Operation by operation it is TensorFlow's kernels that run."""
    return "tensorflow" if parse(arguments, SWITCHES)["graph"] == "no" else "tensorflow-xla"


if __name__ == "__main__":
    serve(lambda arguments: make_tensorflow("tensorflow-xla", arguments, True, SWITCHES, profile_of(arguments)))
