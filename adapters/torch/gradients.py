"""Cases that ask for the gradients of their inputs under given cotangents, for systems that PyTorch's autograd goes
through: in the case's own dtypes, and beside them two references, eager's in these dtypes and with every float widened
to f64."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from adapters.torch.case_module import Build, Program, Ran, Sources, case_module, live, run_protocol
from adapters.torch.tensors import decode, encode, parse_type
from adapters.worker.system import Json, Stages, UnsupportedError

_ZETA_STEPS = 1e7  # of which eager makes about 3e7 a second
_FLOATS = ("f16", "bf16", "f32", "f64")


def run_case(request: Json, stages: Stages, build: Build, more: Collection[str] = ()) -> Json:
    """The reply to a case that asks for gradients: `grads`, and as `eager_grads` and `reference_grads` those of eager,
    in the case's dtypes and in f64; any other case takes run_protocol's way."""
    case = request["case"]
    if "grad" not in case.get("requires", []):
        return run_protocol(request, stages, build, more)
    if case["requires"] != ["grad"]:
        raise UnsupportedError(f"cases that require {', '.join(case['requires'])}")
    graph, feed, grad = case["graph"], case["feed"], case["grad"]
    reference, _ = eager_gradients(*widened(graph, feed), grad)
    eager, depends = eager_gradients(graph, feed, grad)
    if not depends:  # nothing to ask for, whatever the system says of its outputs
        grad = {**grad, "cotangents": [None] * len(grad["cotangents"])}
    program = build(graph, leaves_and_inputs(graph, feed, grad["wrt"])[1], stages)
    ran, grads = run_backward(program, graph, feed, grad, stages)
    return {**program.facts, **ran.encode(), "grads": grads, "eager_grads": eager, "reference_grads": reference}


def eager_gradients(graph: Json, feed: Json, grad: Json) -> tuple[Json, bool]:
    """Those of eager's autograd, and whether what is asked for depends on an input.

    There must be a gradient of everything that the caller could go on with, too: a compiler differentiates all of it at
    once, whichever part is asked for (pytorch/pytorch#158561).
    """
    module = case_module(graph)
    program = Program(live(graph, module, identity=False))
    try:
        if any("polygamma" in node["op"] or "zeta" in node["op"] for node in graph["nodes"]):
            with _NoLongZeta():
                program.start()(leaves_and_inputs(graph, feed, grad["wrt"])[1])
        ran, found = run_backward(program, graph, feed, grad, Stages())
        asked = zip(ran.outputs, grad["cotangents"], strict=True)
        depends = any(output.requires_grad for output, cotangent in asked if cotangent is not None)
        leaves, inputs = leaves_and_inputs(graph, feed, grad["wrt"])
        ran = program.start()(inputs)
        heads = [tensor for tensor in (*ran.outputs, *inputs, *ran.buffers.values()) if tensor.requires_grad]
        if heads:
            seeds = [torch.zeros_like(head) for head in heads]
            nothing = torch.autograd.grad(
                heads, list(leaves.values()), seeds, allow_unused=True, materialize_grads=True
            )
            # To a compiler what is not asked for has a cotangent of 0, which times NaN or infinity is NaN, or not.
            found = {name: plus(found[name], more) for name, more in zip(leaves, nothing, strict=True)}
    except RuntimeError as error:  # what was saved for the backward pass was overwritten, for one
        raise UnsupportedError(f"eager itself has no gradient: {str(error).splitlines()[0]}") from None
    return found, depends


class _NoLongZeta(TorchDispatchMode):
    """Refuses a forward pass that would not end, or whose backward would not.

    ATen's zeta takes a step for each unit of a negative number that is no integer, which hardly any number is that was
    widened to f64. polygamma(n) goes through it from n = 2 on, and its gradient is polygamma(n + 1). Not for a backward
    pass: with a mode active autograd takes other formulas, and some of them crash (pytorch/pytorch#197067).
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        place = {"polygamma": (0, 1), "polygamma_": (1, 0), "special_zeta": (None, 1)}.get(func.overloadpacket.__name__)
        if place is not None and (place[0] is None or args[place[0]] >= 1):
            q = torch.as_tensor(args[place[1]])
            if ((q < -_ZETA_STEPS) & (q != q.floor())).any():
                raise RuntimeError("the zeta function of a large negative number, which takes for ever")
        return func(*args, **(kwargs or {}))


def plus(encoded: Json, more: torch.Tensor) -> Json:
    """The sum: an encoded tensor where the other is 0, NaN where that is NaN."""
    return encode(decode(encoded["data"], *parse_type(encoded["type"])) + more)


def run_backward(program: Program, graph: Json, feed: Json, grad: Json, stages: Stages) -> tuple[Ran, Json]:
    """One run of a fresh instance, and the gradients by name."""
    leaves, inputs = leaves_and_inputs(graph, feed, grad["wrt"])
    instance = program.start()
    with stages("run"):
        ran = instance(inputs)
    with stages("gradient"):
        found = gradients(ran.outputs, grad["cotangents"], list(leaves.values()))
    return ran, {name: encode(one) for name, one in zip(leaves, found, strict=True)}


def leaves_and_inputs(
    graph: Json, feed: Mapping[str, Any], wrt: list[str]
) -> tuple[dict[str, torch.Tensor], tuple[torch.Tensor, ...]]:
    """The tensors to differentiate by, and the inputs: copies of these, since no leaf may be written in place."""
    sources = Sources(graph, feed)
    leaves: dict[str, torch.Tensor] = {}
    inputs: list[torch.Tensor] = []
    for name, spec in graph.get("inputs", {}).items():
        tensor = sources.tensor(name, spec)
        if name in wrt:
            if "storage" in spec:
                raise UnsupportedError(f"the gradient of {name}, whose memory is shared")
            if tensor.clone().stride() != tensor.stride():
                raise UnsupportedError(f"the gradient of {name}, which has gaps")
            leaves[name] = tensor.requires_grad_()
            tensor = leaves[name].clone()
        inputs.append(tensor)
    return {name: leaves[name] for name in wrt}, tuple(inputs)


def gradients(
    outputs: list[torch.Tensor], cotangents: list[Any], leaves: list[torch.Tensor]
) -> tuple[torch.Tensor, ...]:
    """The vector-Jacobian product; an output whose cotangent is null, or that depends on no leaf, takes no part."""
    taking_part = []
    for output, cotangent in zip(outputs, cotangents, strict=True):
        if cotangent is None or not output.requires_grad:
            continue
        with suppress(RuntimeError):  # a cotangent does not fit an output of wrong sizes, which is judged as that
            taking_part.append((output, decode(cotangent, output.dtype, output.shape)))
    if not taking_part:
        return tuple(torch.zeros_like(leaf) for leaf in leaves)
    heads, seeds = zip(*taking_part, strict=True)
    return torch.autograd.grad(heads, leaves, seeds, allow_unused=True, materialize_grads=True)


def widened(graph: Json, feed: Mapping[str, Any]) -> tuple[Json, Json]:
    """The same computation with every float as f64, the casts of its nodes included."""

    def data(spec: Json, given: Any) -> Any:
        dtype, sizes = parse_type(spec["type"])
        return decode(given, dtype, sizes).double().reshape(-1).tolist() if dtype.is_floating_point else given

    def source(spec: Json) -> Json:
        dtype, _, sizes = spec["type"].partition("[")
        wide = {**spec, "type": f"f64[{sizes}" if dtype in _FLOATS else spec["type"]}
        return {**wide, "data": data(spec, spec["data"])} if "data" in spec else wide

    def argument(value: Any) -> Any:
        if isinstance(value, list):
            return [argument(element) for element in value]
        return "f64" if value in _FLOATS else value

    def node(spec: Json) -> Json:
        kwargs = {name: argument(value) for name, value in spec.get("kwargs", {}).items()}
        return {**spec, "args": argument(spec.get("args", [])), "kwargs": kwargs}

    groups = [group for group in ("storages", "inputs", "constants", "buffers") if group in graph]
    fed = {name: spec for group in ("storages", "inputs") for name, spec in graph.get(group, {}).items()}
    wide = {
        **graph,
        **{group: {name: source(spec) for name, spec in graph[group].items()} for group in groups},
        "nodes": [node(spec) for spec in graph.get("nodes", [])],
    }
    return wide, {name: data(fed[name], given) for name, given in feed.items()}
