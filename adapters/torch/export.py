"""torch-export: torch.export and its decompositions; what they made runs on eager's kernels."""

from __future__ import annotations

import torch

from adapters.torch.case_module import Program, live, run_protocol, torch_hello
from adapters.torch.dynamic_dims import export_at_all_sizes, what_became_of_symbols
from adapters.torch.export_speed import speed_up
from adapters.torch.limits import EXPORT_REJECTIONS
from adapters.worker.last_program import remembered
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Json, Stages, System


def make_system(arguments: list[str]) -> System:
    parse(arguments, ())
    op_scan = speed_up()

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        op_scan.renew()
        with stages("export"), torch.no_grad():
            exported = export_at_all_sizes(graph, inputs)
            before = exported.module()
        with stages("decompose"):
            after = exported.run_decompositions().module()
        # A copy that exporting made away with is no promise broken: no identity.
        return Program(
            live(graph, after, identity=False),
            facts=what_became_of_symbols(graph, exported),
            stages={"export": live(graph, before, identity=False)},
        )

    hello = {
        **torch_hello("torch-export", "torch-export"),
        "several_runs": True,
        "counts": True,
        "instances": False,
        "subgraphs": True,
        "writing_subgraphs": False,
        "custom_ops": True,
    }

    def run(request: Json, stages: Stages) -> Json:
        return run_protocol(request, stages, build, ("counts", "custom"))

    return System(lambda: hello, run, EXPORT_REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
