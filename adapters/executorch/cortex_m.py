"""executorch-cortex-m: ExecuTorch's lowering to CMSIS-NN, run on the kernels in Python that it is tested with.

The wheel has no program for a Cortex-M. It has the passes that make integer calls of quantized ones, with multipliers
and shifts as CMSIS-NN takes them, and for each call a kernel in Python that computes as CMSIS-NN does. CMSIS-NN itself,
which the wheel holds too, only says there how large the scratch buffers are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from executorch.backends.arm.common.annotation_meta import ArmAnnotationInfo
from executorch.backends.cortex_m.passes.cortex_m_pass_manager import CortexMPassManager
from executorch.exir import EdgeCompileConfig, to_edge

from adapters.executorch.pipeline import make_system
from adapters.torch.case_module import Instance, live
from adapters.worker.loop import serve
from adapters.worker.system import Json, Rejection, System

aten = torch.ops.aten

# As CortexMToEdge of ExecuTorch's own tests of this backend.
KEPT = (
    aten.linear.default,
    aten.hardsigmoid.default,
    aten.hardsigmoid_.default,
    aten.hardswish.default,
    aten.hardswish_.default,
    aten.silu.default,
)

ACTIVATIONS = ("relu", "clamp", "hardtanh")
# Moves of elements, which need no kernel of their own.
VIEWS = ("view", "permute", "transpose", "squeeze", "slice", "select", "expand", "alias", "getitem")

REJECTIONS = (
    Rejection(
        r"^NotImplementedError: cortex_m::quantized_\w+ assumes symmetric weight quantization",
        "backends/cortex_m/passes/aten_to_cortex_m_pass.py, the message itself",
        stage="lower",
    ),
)


def lower_to_cortex_m(exported: Any) -> tuple[Any, Json]:
    """The program after the passes of the backend, and how many quantized calls they made calls on integers."""
    config = EdgeCompileConfig(
        preserve_ops=list(KEPT), _check_ir_validity=False, _core_aten_ops_exception_list=[aten.max_pool2d.default]
    )
    program = to_edge(exported, compile_config=config).exported_program()
    annotate(program)
    readers = fusable(program)
    made = CortexMPassManager(program).transform()
    left = fusable(made)
    return made, {"fused": max(readers - left, 0), "fusable": readers}


def annotate(program: Any) -> None:
    """Marks what the backend's own quantizer would have: calls whose operands and result are of 8 bits, by parameters
    that are known. The passes leave alone what is not marked."""
    fed = set(program.graph_signature.user_inputs)
    marked: set[torch.fx.Node] = set()
    for node in program.graph.nodes:
        if node.op != "call_function" or named(node, "quantize_per_", "dequantize_per_"):
            continue
        operands = [operand for operand in node.all_input_nodes if is_float(operand)]
        follows = named(node, *ACTIVATIONS) and all(operand in marked for operand in operands)
        quantized = all(is_dequantized(operand, fed) for operand in operands) or follows
        if operands and quantized and is_quantized_again(node):
            marked.add(node)
            custom = node.meta.setdefault("custom", {})
            custom[ArmAnnotationInfo.CUSTOM_META_KEY] = dict(ArmAnnotationInfo(quantized=True))


def is_float(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def is_dequantized(node: torch.fx.Node, fed: set[str]) -> bool:
    """By a quantizer: activations and weights of 8 bits, biases of 32."""
    if not named(node, "dequantize_per_tensor.default", "dequantize_per_channel.default"):
        return False
    integers, *parameters = node.all_input_nodes
    known = all(one.op == "placeholder" and one.name not in fed for one in parameters)
    return known and integers.meta["val"].dtype in (torch.int8, torch.int32)


def is_quantized_again(node: torch.fx.Node) -> bool:
    readers = list(node.users)
    if len(readers) == 1 and named(readers[0], *ACTIVATIONS):
        return is_quantized_again(readers[0])
    return bool(readers) and all(
        named(reader, "quantize_per_tensor.default") and reader.meta["val"].dtype == torch.int8 for reader in readers
    )


def named(node: torch.fx.Node, *starts: str) -> bool:
    """Whether what a node calls, without its namespace, starts so."""
    if node.op != "call_function":
        return False
    op = str(getattr(node.target, "_op", node.target))  # an edge op is one around ATen's
    return op.partition(".")[2].startswith(starts)


def fusable(program: Any) -> int:
    """How many calls read what a dequantize made, views aside."""
    dequantized = {node for node in program.graph.nodes if named(node, "dequantize_per_")}
    return sum(
        node.op == "call_function"
        and any(operand in dequantized for operand in node.all_input_nodes)
        and not named(node, *VIEWS)
        for node in program.graph.nodes
    )


def run_on_kernels_in_python(graph: Json, program: Any) -> Callable[[], Instance]:
    """Instances of the lowered program. What it leaves in floats runs on eager's kernels."""
    return live(graph, program.module(), identity=False)


def make(arguments: list[str]) -> System:
    return make_system(
        "executorch-cortex-m",
        arguments,
        lower_by=lower_to_cortex_m,
        run_edge=run_on_kernels_in_python,
        profile="executorch-cortex-m",
        rejections=REJECTIONS,
    )


if __name__ == "__main__":
    serve(make)
