"""pytorch-eager: the reference itself, live. What it raises on, the reference refuses."""

from __future__ import annotations

import torch

from adapters.torch.case_module import Program, case_module, live, torch_hello
from adapters.torch.control_flow import DIRECT
from adapters.torch.gradients import run_case
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Json, Rejection, Stages, System

REJECTIONS = (Rejection("", "eager raises: the reference refuses the program or its data", stage="run"),)


def build(graph: Json, _: tuple[torch.Tensor, ...], __: Stages) -> Program:
    module = case_module(graph, control=DIRECT)
    return Program(live(graph, module, identity=True))


def make_system(arguments: list[str]) -> System:
    parse(arguments, ())
    torch.set_num_threads(1)
    hello = {**torch_hello("pytorch-eager", "eager"), "gradients": True, "several_runs": True, "subgraphs": True}
    return System(lambda: hello, lambda request, stages: run_case(request, stages, build), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
