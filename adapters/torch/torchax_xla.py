"""torchax: XLA's CPU compiler, by torchax, which runs PyTorch's calls on JAX arrays.

It lowers what torch.export made of a case, by torchax.export, whose programs have no views and no writes. ?way=jit
traces the calls themselves by jax.jit; there most views are copies. ?way=eager runs each call by itself. What a jitted
function writes is gone after it, so the program has no state (stateless.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from adapters.xla import environment  # noqa: F401 - JAX reads the environment when it is imported

# isort: split
import jax
import torch
import torchax
from torchax.export import exported_program_to_jax
from torchax.ops.mappings import j2t, t2j

from adapters.torch.case_module import Program, all_ops, case_module, quiet_single_thread, run_protocol, torch_hello
from adapters.torch.limits import EXPORT_REJECTIONS
from adapters.torch.reachable_ops import reachable
from adapters.torch.stateless import Stateless, instance_of, without_state
from adapters.worker.last_program import remembered
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Json, Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"^OperatorNotFound: Operator with name \S+ has no lowering",
        "torchax/tensor.py: the operation is named that it has neither a lowering nor a decomposition for",
    ),
    Rejection(
        r"^AssertionError: (aten|prims)\.\S+(\n|$)",  # torch.fx says after it which node that is
        "torchax/export.py, JaxInterpreter: the operation is named that it has no lowering for",
        stage="lower",
    ),
    *EXPORT_REJECTIONS,
)

SWITCHES = (Switch("way", ("export", "jit", "eager")),)

Arrays = Sequence[Any]  # of JAX
Run = Callable[[Arrays], Arrays]


def as_arrays(tensors: Sequence[torch.Tensor]) -> list[Any]:
    """In memory of their own: torchax would hand the same memory on."""
    return [t2j(tensor.clone(), use_dlpack=False) for tensor in tensors]


def called(program: Json) -> Callable[..., Arrays]:
    """The program's calls on what torchax puts in the place of tensors, from JAX arrays to JAX arrays."""
    env = torchax.default_env()
    module = case_module(program).eval()
    for name in program.get("constants", {}):
        (array,) = as_arrays([getattr(module, f"constant_{name}")])
        setattr(module, f"constant_{name}", env.j2t_iso(array))

    def call(*arrays: Any) -> Arrays:
        with env:
            return env.t2j_iso(list(module(*env.j2t_iso(arrays))))

    return call


def compile_program(case: Stateless, way: str, stages: Stages) -> Run:
    arrays = as_arrays(case.example)
    if way == "export":
        with stages("export"):
            exported = torch.export.export(case_module(case.program).eval(), case.example, strict=False)
        with stages("lower"):
            weights, function = exported_program_to_jax(exported)
            compiled = jax.jit(function).lower(weights, tuple(arrays)).compile()
        # What the module wrote to its inputs comes before what it returns.
        return lambda given: compiled(weights, tuple(given))[-len(case.program["outputs"]) :]
    call = called(case.program)
    if way == "eager":
        return lambda given: call(*given)
    with stages("lower"):
        compiled = jax.jit(call, keep_unused=True).lower(*arrays).compile()
    return lambda given: compiled(*given)


def make_system(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)
    quiet_single_thread()

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        with torch.no_grad():
            case = without_state(graph, inputs)
            run = compile_program(case, settings["way"], stages)

        def call(fed: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
            # Results are read where they lie, so that a later run that writes there shows.
            return [j2t(one, use_dlpack=False) for one in run(as_arrays(list(fed.values())))]

        return Program(lambda: instance_of(case, call))

    env = torchax.default_env()
    tables = (env._ops, env._decomps, torch.export.default_decompositions())

    def knows(one: torch._ops.OpOverload) -> bool:
        return any(name in table for table in tables for name in (one, one.overloadpacket))

    hello = {
        **torch_hello("torchax", "torchax", "torchax", promises_identity=False),
        "ops": [*reachable(all_ops(), knows), "getitem"],
        "switches": declared(SWITCHES),
    }
    hello["versions"]["jax"] = version("jax")
    return System(lambda: hello, lambda request, stages: run_protocol(request, stages, build), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
