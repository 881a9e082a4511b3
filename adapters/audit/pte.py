"""What `parallax audit` asks of an ExecuTorch program: memory plans and delegate calls, as one line of JSON.

    python3 adapters audit.pte PROGRAM.pte

Each plan is a plan.json (planner/plan_json.h says what stands in one): the program's own, and that of the shared
objects of each serialized Vulkan graph. Inputs and state are copied into the arena before the first instruction, and
outputs and state read after the last, because that is what the runtime does. Standard output holds the answer; what
cannot be read is one line on standard error and exit code 2.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
from executorch.backends.vulkan.serialization.vulkan_graph_schema import ValueList, VkGraph, VkTensor
from executorch.backends.vulkan.serialization.vulkan_graph_serialize import (
    extract_vk_flatbuffer,
    flatbuffer_to_vk_graph,
)
from executorch.exir import schema
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.exir.tensor import scalar_type_enum

from adapters.torch.tensors import DTYPES
from adapters.worker.one_answer import RefusedError, answer_once

Json = dict[str, Any]

# Bytes an element, by the runtime's number for the dtype.
SIZES = {scalar_type_enum(dtype): torch.empty((), dtype=dtype).element_size() for dtype in DTYPES.values()}
VULKAN_SIZES = {"BOOL": 1, "UINT8": 1, "INT8": 1, "INT32": 4, "FLOAT16": 2, "FLOAT32": 4, "FLOAT64": 8, "INT64": 8}


class PlanWriter:
    """A plan.json under way. Slots of several memories follow one another in one arena."""

    def __init__(self) -> None:
        self._storages: dict[str, tuple[int, int, int]] = {}  # memory, offset, bytes
        self._steps: list[Json] = []
        self.written: set[str] = set()  # the storages that a step has written so far

    def storage(self, name: str, memory: int, offset: int, size: int) -> None:
        self._storages.setdefault(name, (memory, offset, size))

    def step(self, name: str, reads: list[str], writes: list[str]) -> None:
        known = [value for value in dict.fromkeys(writes) if value in self._storages]
        step = {
            "name": f"{len(self._steps)} {name}",
            "makes": [value for value in known if value not in self.written],
            "reads": [value for value in dict.fromkeys(reads) if value in self._storages],
            "writes": known,
        }
        self._steps.append(step)
        self.written.update(known)

    def plan(self) -> Json:
        ends: dict[int, int] = {}
        for memory, offset, size in self._storages.values():
            ends[memory] = max(ends.get(memory, 0), offset + size)
        base: dict[int, int] = {}
        total = 0
        for memory in sorted(ends):
            base[memory] = total
            total += ends[memory]
        storages = [
            {"name": name, "bytes": size, "arena": "backend", "slot": [base[memory] + offset, size]}
            for name, (memory, offset, size) in self._storages.items()
        ]
        values = [
            {"name": storage["name"], "storage": storage["name"], "type": f"u8[{storage['bytes']}]"}
            for storage in storages
        ]
        arenas = {"backend": {"bytes": total, "alignment": 1}}
        parts = {"arenas": arenas, "storages": storages, "values": values, "steps": self._steps}
        return {"plan": 1, **parts, "outputs": []}


class _Access(NamedTuple):
    """What an instruction does to tensors."""

    name: str
    reads: list[int]
    writes: list[int] | None  # None of a delegate whose blob nothing here reads: `reads` is all that it is passed


class ProgramAudit:
    """One execution plan of a program."""

    def __init__(self, program: schema.Program, plan: schema.ExecutionPlan) -> None:
        self._program = program
        self._plan = plan
        self._writer = PlanWriter()
        self._same: dict[int, int] = {}  # a view lies where its operand does
        self.plans: list[Json] = []
        self.delegates: list[Json] = []

    def run(self) -> None:
        calls = [instruction.instr_args for chain in self._plan.chains for instruction in chain.instructions]
        accesses = [access for access in map(self._access, calls) if access is not None]
        state = [index for index, value in enumerate(self._plan.values) if self._is_state(value.val)]
        written = {*self._plan.inputs, *state}
        for access in accesses:
            written.update(access.reads if access.writes is None else access.writes)
        self._find_elided_views(written)
        for index, value in enumerate(self._plan.values):
            self._declare(index, value.val)
        self._writer.step("inputs and state", [], self._named([*self._plan.inputs, *state]))
        for access in accesses:
            self._step(access)
        self._writer.step("outputs and state", self._named([*self._plan.outputs, *state]), [])
        self.plans.insert(0, {"name": self._plan.name, "plan": self._writer.plan()})

    def _find_elided_views(self, written: set[int]) -> None:
        """A view of planned memory and static sizes is no instruction, only a value in the place of its operand.

        Values are numbered as the program makes them, so the operand is the last one before it of that place and type.
        """
        last: dict[tuple[int, ...], int] = {}
        for index, value in enumerate(self._plan.values):
            tensor = value.val
            if not isinstance(tensor, schema.Tensor) or tensor.allocation_info is None:
                continue
            place = (*_place(tensor.allocation_info), int(tensor.scalar_type), math.prod(tensor.sizes))
            if index not in written and index not in self._same and place in last:
                self._same[index] = last[place]
            last[place] = index

    def _root(self, index: int) -> int:
        while index in self._same:
            index = self._same[index]
        return index

    def _named(self, indices: list[int]) -> list[str]:
        return [f"v{self._root(index)}" for index in indices]

    def _is_state(self, value: Any) -> bool:
        """A mutable buffer: planned memory that starts from data."""
        return isinstance(value, schema.Tensor) and value.allocation_info is not None and value.data_buffer_idx > 0

    def _declare(self, index: int, value: Any) -> None:
        if self._root(index) != index or not isinstance(value, schema.Tensor) or value.allocation_info is None:
            return
        size = math.prod(value.sizes) * SIZES[int(value.scalar_type)]
        if size:
            self._writer.storage(f"v{index}", *_place(value.allocation_info), size)

    def _tensors(self, index: int) -> list[int]:
        """The tensors of an argument, those of a list among them."""
        value = self._plan.values[index].val
        if isinstance(value, (schema.TensorList, schema.OptionalTensorList)):
            return [item for item in value.items if item >= 0]
        return [index] if isinstance(value, schema.Tensor) else []

    def _access(self, call: Any) -> _Access | None:
        if isinstance(call, schema.DelegateCall):
            return self._delegate_call(call)
        if isinstance(call, schema.KernelCall):
            return self._kernel_call(call)
        if isinstance(call, schema.FreeCall):
            return None
        raise RefusedError(f"{self._plan.name}: an instruction {type(call).__name__}")

    def _kernel_call(self, call: schema.KernelCall) -> _Access | None:
        operator = self._plan.operators[call.op_index]
        if operator.name == "executorch_prim::et_view":
            self._same[call.args[-1]] = call.args[0]
            return None
        namespace, _, name = operator.name.partition("::")
        try:
            overload = getattr(getattr(getattr(torch.ops, namespace), name), operator.overload or "default")
        except AttributeError:
            if namespace == "executorch_prim":
                return None  # arithmetic on sizes
            raise RefusedError(f"{self._plan.name}: no schema of {operator.name} is known here") from None
        reads: list[int] = []
        writes: list[int] = []
        for argument, declared in zip(call.args, overload._schema.arguments, strict=False):
            written = declared.alias_info is not None and declared.alias_info.is_write
            (writes if written else reads).extend(self._tensors(argument))
        return _Access(f"{name}.{operator.overload}", reads, writes)

    def _delegate_call(self, call: schema.DelegateCall) -> _Access:
        delegate = self._plan.delegates[call.delegate_index]
        name = f"{self._plan.name}, delegate {call.delegate_index} ({delegate.id})"
        passed = [index for argument in call.args for index in self._tensors(argument)]
        entry: Json = {"name": name, "passed": [f"v{index}" for index in passed]}
        self.delegates.append(entry)
        if delegate.id != "VulkanBackend":
            return _Access(f"delegate {delegate.id}", passed, None)
        blob = self._program.backend_delegate_data[delegate.processed.index].data
        graph = flatbuffer_to_vk_graph(extract_vk_flatbuffer(blob))
        entry["inputs"] = list(graph.input_ids)
        entry["outputs"] = list(graph.output_ids)
        self.plans.append({"name": name, "plan": vulkan_plan(graph)})
        inputs = len(graph.input_ids)
        return _Access(f"delegate {delegate.id}", passed[:inputs], passed[inputs:])

    def _step(self, access: _Access) -> None:
        reads = self._named(access.reads)
        if access.writes is not None:
            self._writer.step(access.name, reads, self._named(access.writes))
            return
        # What no one wrote before must be an output of this call.
        inputs = next((i for i, name in enumerate(reads) if name not in self._writer.written), len(reads))
        self._writer.step(access.name, reads[:inputs], reads[inputs:])


def _place(at: schema.AllocationDetails) -> tuple[int, int]:
    """Memory and offset."""
    return at.memory_id, at.memory_offset_low + (at.memory_offset_high << 32)


def vulkan_plan(graph: VkGraph) -> Json:
    """The shared objects of a Vulkan graph: tensors of one memory object lie over each other."""
    writer = PlanWriter()
    tensors: set[int] = set()
    for index, value in enumerate(graph.values):
        tensor = value.value
        if not isinstance(tensor, VkTensor) or tensor.constant_id >= 0:
            continue
        tensors.add(index)
        size = math.prod(tensor.dims) * VULKAN_SIZES.get(tensor.datatype.name, 4)
        memory = tensor.mem_obj_id if tensor.mem_obj_id >= 0 else 1_000_000 + index
        if size:
            writer.storage(f"t{index}", memory, 0, size)

    def named(argument: int) -> list[str]:
        value = graph.values[argument].value
        items = value.items if isinstance(value, ValueList) else [argument]
        return [f"t{item}" for item in items if item in tensors]

    writer.step("inputs", [], [name for index in graph.input_ids for name in named(index)])
    for call in graph.chain:
        # A call's last argument is its result, or the list of its results.
        reads = [name for argument in call.args[:-1] for name in named(argument)]
        writer.step(call.name, reads, named(call.args[-1]))
    writer.step("outputs", [name for index in graph.output_ids for name in named(index)], [])
    return writer.plan()


def audit(path: str) -> Json:
    program = deserialize_pte_binary(Path(path).read_bytes()).program
    plans: list[Json] = []
    delegates: list[Json] = []
    for plan in program.execution_plan:
        one = ProgramAudit(program, plan)
        one.run()
        plans.extend(one.plans)
        delegates.extend(one.delegates)
    return {"audit": 1, "plans": plans, "delegates": delegates}


if __name__ == "__main__":
    sys.exit(answer_once(sys.argv[1], lambda: audit(sys.argv[1]), unexpected="no ExecuTorch program"))
