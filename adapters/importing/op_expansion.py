"""An op that the oracle does not know as calls that it does: its formula, else how PyTorch itself composes or
decomposes it, taken apart until every call is known."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, decomposition_table, decompositions
from torch._subclasses import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only

from adapters.importing.call_arguments import name_of
from adapters.importing.imported_graph import extent
from adapters.importing.op_formulas import FORMULAS, empties
from adapters.importing.op_libraries import kernel_of
from adapters.worker.one_answer import RefusedError

DEEPEST = 12  # decompositions of decompositions
# Files are read, written or printed by these: no program has them run here.
BARRED = {"from_file", "save", "_print", "warn", "set_", "set_data", "_import"}
COMPOSED, DECOMPOSED, FORMULA = "composed of their parts", "decomposed", "as formulas"

Call = Callable[..., Any]


def makes_tensors(overload: torch._ops.OpOverload) -> bool:
    return any("Tensor" in str(result.type) for result in overload._schema.returns)


def takes_tensors(args: Any, kwargs: Any) -> bool:
    return any(isinstance(leaf, (torch.Tensor, torch.fx.Node)) for leaf in tree_leaves((args, kwargs)))


@contextlib.contextmanager
def in_mathematical_form() -> Iterator[None]:
    """Composites as what they mean, and not as this machine's kernels for them."""
    chosen = decompositions.select_one_layer_lstm_function
    decompositions.select_one_layer_lstm_function = lambda *_: decompositions.one_layer_lstm
    try:
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), torch.backends.mkldnn.flags(enabled=False):
            yield
    finally:
        decompositions.select_one_layer_lstm_function = chosen


def fresh(tensor: torch.Tensor) -> torch.Tensor:
    """One of its dtype and layout, in memory of its own, for a trace."""
    if isinstance(tensor, FakeTensor):
        flat = torch.zeros(extent(tensor), dtype=tensor.dtype)
    else:
        flat = tensor.as_strided([extent(tensor)], [1]).clone()
    return flat.as_strided(tensor.shape, tensor.stride())


def trace(call: Call, tensors: list[torch.Tensor], whole: bool = False) -> torch.fx.GraphModule:
    """What it calls of ATen; `whole`: with the composites among them as they are called, such as matmul. Tensors
    without data are enough, unless it looks at them."""
    traced = traced_once(call, [fresh(tensor) for tensor in tensors], whole)
    for node in reversed(traced.graph.nodes):
        if not node.users and has_only_results(node.target):
            traced.graph.erase_node(node)
    return traced


def traced_once(call: Call, tensors: list[torch.Tensor], whole: bool) -> torch.fx.GraphModule:
    """`meta["looked"]` of the graph says whether it took data, so that it may hold for these alone."""
    if whole:
        return make_fx(call, tracing_mode="fake", _allow_non_fake_inputs=True, pre_dispatch=True)(*tensors)
    with contextlib.suppress(Exception):
        return make_fx(call, tracing_mode="fake", _allow_non_fake_inputs=True)(*tensors)
    traced = make_fx(call, _error_on_data_dependent_ops=False)(*tensors)
    traced.meta["looked"] = True
    return traced


def has_only_results(target: Any) -> bool:
    """Whether a call of it does nothing but give tensors, so that one that nobody reads may go."""
    if target is operator.getitem:
        return True
    return isinstance(target, torch._ops.OpOverload) and makes_tensors(target) and not target._schema.is_mutable


def call_with(target: Call, args: Any, kwargs: Any) -> tuple[Call, list[torch.Tensor]]:
    """A function of the call's tensors alone, and these."""
    leaves = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        filled_args, filled_kwargs = tree_map_only(torch.Tensor, lambda _: next(given), (args, kwargs))
        return target(*filled_args, **filled_kwargs)

    return call, leaves


class Expander:
    """`known` are the ops that stand as they are; none at all: all do. `fill` is what memory without values holds."""

    def __init__(self, known: set[str], fill: float = 0.0) -> None:
        self._known = known
        self._formulas = {**FORMULAS, **empties(fill)}
        self._empties = set(empties(fill))
        self._core = core_aten_decompositions()
        self.made_empties = False

    def knows(self, overload: torch._ops.OpOverload) -> bool:
        return not self._known or name_of(overload) in self._known

    def expand(
        self, overload: torch._ops.OpOverload, args: Any, kwargs: Any, depth: int = 0
    ) -> tuple[str, torch.fx.GraphModule]:
        """How, and a graph of known calls. Its inputs are the call's tensors."""
        name = name_of(overload)
        if depth > DEEPEST:
            raise RefusedError(f"{name} decomposes without an end")
        last: Exception | None = None
        for how, target in self._candidates(overload):
            call, tensors = call_with(target, args, kwargs)
            try:
                with in_mathematical_form():
                    traced = trace(call, tensors, whole=how == FORMULA)
                if any(node.target is overload for node in traced.graph.nodes):
                    continue
                self._expand_inside(traced, depth)
            except NotImplementedError:
                continue
            except Exception as error:
                last = last or error
                continue
            self.made_empties |= name in self._empties
            return how, traced
        if torch.Tag.nondeterministic_seeded in overload.tags:
            raise RefusedError(f"{name} draws random numbers")
        reason = f": {first_line(last)}" if last else ""
        raise RefusedError(f"{name} is not known, and nothing that it could be written as is{reason}")

    def _candidates(self, overload: torch._ops.OpOverload) -> Iterator[tuple[str, Call]]:
        name = name_of(overload)
        if name in self._formulas:
            yield FORMULA, self._formulas[name]
        if overload._can_decompose():
            yield COMPOSED, overload.decompose
        for table in (self._core, decomposition_table):
            if overload in table:
                yield DECOMPOSED, table[overload]
        if (copying := from_functional_twin(overload)) is not None:
            yield DECOMPOSED, copying
        if (kernel := kernel_of(overload)) is not None:
            yield COMPOSED, kernel

    def _expand_inside(self, traced: torch.fx.GraphModule, depth: int) -> None:
        """Expands the calls in a graph that are not known, in their places."""
        graph = traced.graph
        for node in list(graph.nodes):
            overload = node.target
            if not isinstance(overload, torch._ops.OpOverload) or self.is_left(overload, node.args, node.kwargs):
                continue
            args, kwargs = tree_map(
                lambda leaf: value_of(traced, leaf) if isinstance(leaf, torch.fx.Node) else leaf,
                (node.args, dict(node.kwargs)),
            )
            _, inner = self.expand(overload, args, kwargs, depth + 1)
            inline(traced, node, inner)

    def is_left(self, overload: torch._ops.OpOverload, args: Any, kwargs: Any) -> bool:
        """Whether the walk takes it as it is: it is known, makes no tensor, or makes one of no other."""
        if self.knows(overload) or not makes_tensors(overload):
            return True
        return name_of(overload) not in self._formulas and is_foldable(overload, args, kwargs)


def is_foldable(overload: torch._ops.OpOverload, args: Any, kwargs: Any) -> bool:
    """Whether its result is one for all inputs."""
    return not takes_tensors(args, kwargs) and torch.Tag.nondeterministic_seeded not in overload.tags


def value_of(traced: torch.fx.GraphModule, node: torch.fx.Node) -> Any:
    return getattr(traced, str(node.target)) if node.op == "get_attr" else node.meta["val"]


def from_functional_twin(overload: torch._ops.OpOverload) -> Call | None:
    """add_, and add.out, as a copy of what add gives into what they write to."""
    packet, stem = overload._overloadpacket, overload._opname
    if stem.endswith("_") and not stem.endswith("__"):
        functional = getattr(getattr(torch.ops, overload.namespace), stem[:-1], None)
        functional = getattr(functional, overload._overloadname, None)
        if functional is not None:
            return lambda target, *args, **kwargs: target.copy_(functional(target, *args, **kwargs))
    if overload._overloadname.endswith("out") and [result.name for result in overload._schema.arguments][-1] == "out":
        functional = getattr(packet, overload._overloadname.removesuffix("out").rstrip("_") or "default", None)
        if functional is not None:
            return lambda *args, out, **kwargs: out.copy_(functional(*args, **kwargs))
    return None


def inline(outer: torch.fx.GraphModule, node: torch.fx.Node, inner: torch.fx.GraphModule) -> None:
    """Puts the inner graph in the place of the node."""
    placed: dict[torch.fx.Node, Any] = {}
    inputs = iter([leaf for leaf in tree_leaves((node.args, dict(node.kwargs))) if isinstance(leaf, torch.fx.Node)])
    with outer.graph.inserting_before(node):
        for one in inner.graph.nodes:
            if one.op == "placeholder":
                placed[one] = next(inputs)
            elif one.op == "get_attr":
                name = f"{node.name}_{one.target}"
                setattr(outer, name, getattr(inner, str(one.target)))
                placed[one] = outer.graph.get_attr(name)
            elif one.op != "output":
                placed[one] = outer.graph.node_copy(one, placed.__getitem__)
    made = tree_map(lambda leaf: placed.get(leaf) if isinstance(leaf, torch.fx.Node) else leaf, inner_result(inner))
    if isinstance(made, torch.fx.Node):
        node.replace_all_uses_with(made)
    else:
        for user in list(node.users):
            part = made[user.args[1]]
            if part is None and user.users:
                raise RefusedError(f"{name_of(node.target)}: result {user.args[1]} has no counterpart")
            if part is not None:
                user.replace_all_uses_with(part)
            outer.graph.erase_node(user)
    outer.graph.erase_node(node)


def inner_result(inner: torch.fx.GraphModule) -> Any:
    return inner.graph.output_node().args[0]


def first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
