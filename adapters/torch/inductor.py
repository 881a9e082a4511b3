"""torch-inductor: torch.compile with its default backend, which writes C++.

The switches are inductor's own, by their names in torch._inductor.config; ?vectors=no writes scalar C++, and with
?cache=warm the fresh instance is of the graphs that inductor's cache has of the first.
"""

from __future__ import annotations

import torch._inductor.config

from adapters.torch.compile import COMPILE_SWITCHES, make_system
from adapters.torch.inductor_folders import find_vector_sets
from adapters.worker.loop import serve
from adapters.worker.switches import Settings, Switch
from adapters.worker.warm_cache import CACHE

PROFILE = {"name": "torch-inductor", "extends": "torch-compile"}

ON_BY_DEFAULT = (
    *("inplace_buffers", "allow_buffer_reuse", "pattern_matcher", "epilogue_fusion", "split_reductions"),
    *("reorder_for_locality", "layout_optimization", "comprehensive_padding", "loop_ordering_after_fusion"),
    *("constant_and_index_propagation", "joint_graph_constant_folding", "reorder_for_peak_memory"),
)
OFF_BY_DEFAULT = ("memory_planning", "aggressive_fusion", "combo_kernels", "dce")
SWITCHES = (
    *COMPILE_SWITCHES,
    CACHE,
    Switch("vectors", ("yes", "no")),
    *(Switch(name, ("yes", "no")) for name in ON_BY_DEFAULT),
    *(Switch(name, ("no", "yes")) for name in OFF_BY_DEFAULT),
)


def configure(settings: Settings) -> None:
    """What is left at its default stays as the release has it: an old one has other defaults, and not every name."""
    for names, default in ((ON_BY_DEFAULT, "yes"), (OFF_BY_DEFAULT, "no")):
        for name in names:
            if settings[name] != default:
                setattr(torch._inductor.config, name, settings[name] == "yes")
    if settings["vectors"] == "no":
        torch._inductor.config.cpp.simdlen = 1


def before_fork() -> None:
    find_vector_sets()


if __name__ == "__main__":
    stages = ("eager", "aot_eager", "inductor")
    serve(lambda arguments: make_system("torch-inductor", stages, PROFILE, arguments, SWITCHES, configure))
