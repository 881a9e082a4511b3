"""pytorch-eager: the reference itself, live. What it raises on, the reference refuses."""

from __future__ import annotations

import torch

from adapters.torch.case_module import Program, case_module, torch_hello
from adapters.torch.control_flow import DIRECT
from adapters.torch.gradients import run_case
from adapters.torch.methods import live_methods
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Json, Rejection, Stages, System

REJECTIONS = (Rejection("", "eager raises: the reference refuses the program or its data", stage="run"),)


def build(graph: Json, _: tuple[torch.Tensor, ...], __: Stages) -> Program:
    return Program(lambda: live_methods(graph, lambda one: case_module(one, control=DIRECT)))


def make_system(arguments: list[str]) -> System:
    parse(arguments, ())
    torch.set_num_threads(1)
    more = dict.fromkeys(
        ("gradients", "several_runs", "instances", "methods", "counts", "subgraphs", "custom_ops"), True
    )
    hello = {**torch_hello("pytorch-eager", "eager"), **more}
    taken = ("instances", "methods", "counts", "custom")
    return System(lambda: hello, lambda request, stages: run_case(request, stages, build, taken), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
