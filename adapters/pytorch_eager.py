"""pytorch-eager: the reference itself, live. What it raises on, the reference refuses."""

from __future__ import annotations

import torch

from tensors import DTYPES
from torch_case import CaseModule, Instance, Program, Ran, run_protocol
from worker import Json, Rejection, Stages, System, serve

REJECTIONS = (Rejection("", "eager raises: the reference refuses the program or its data", stage="run"),)


def storage_numbers(tensors: list[torch.Tensor]) -> list[int]:
    """One number a tensor, equal where two share a storage, in order of first appearance."""
    numbers: dict[int, int] = {}
    # The storage object, not its address: empty storages have none.
    return [numbers.setdefault(tensor.untyped_storage()._cdata, len(numbers)) for tensor in tensors]


def build(graph: Json, _: tuple[torch.Tensor, ...], __: Stages) -> Program:
    def start() -> Instance:
        module = CaseModule(graph)

        def run(inputs: tuple[torch.Tensor, ...]) -> Ran:
            with torch.no_grad():
                outputs = list(module(*inputs))
            buffers = {name: module.get_buffer(f"buffer_{name}") for name in graph.get("buffers", {})}
            named = dict(zip(graph.get("inputs", {}), inputs, strict=True))
            identity = storage_numbers([*inputs, *buffers.values(), *outputs])
            return Ran(outputs, named, buffers, identity)

        return run

    return Program(start)


def hello() -> Json:
    version = torch.__version__
    return {
        "name": "pytorch-eager",
        "version": version,
        "versions": {"torch": version},
        "dtypes": list(DTYPES),
        "ops": None,
        "profile": "eager",
    }


def make_system(_: list[str]) -> System:
    torch.set_num_threads(1)
    return System(hello, lambda request, stages: run_protocol(request, stages, build), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
