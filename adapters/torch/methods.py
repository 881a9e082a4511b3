"""One module with several functions: the methods of a case as modules that share their buffers."""

from __future__ import annotations

from collections.abc import Callable

import torch

from adapters.torch.case_module import Instance, Ran, live
from adapters.worker.case_methods import method_graph
from adapters.worker.system import Json

MakeModule = Callable[[Json], torch.nn.Module]


def live_methods(graph: Json, make: MakeModule) -> Instance:
    """A fresh instance of the case's graph and its methods, on one set of buffers that none of another instance has."""
    whole = make(graph)
    runs = {None: live(graph, whole, identity=True)()}
    for name in graph.get("methods", {}):
        method = method_graph(graph, name)
        module = make(method)

        def share(buffer: str, _: torch.Tensor, module: torch.nn.Module = module) -> None:
            module.register_buffer(buffer, whole.get_buffer(buffer))

        runs[name] = live(method, module, identity=False, put=share)()

    def run(inputs: tuple[torch.Tensor, ...], method: str | None = None) -> Ran:
        return runs[method](inputs)

    return run
