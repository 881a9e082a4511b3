#include "export/emit_executorch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/origin.h"

namespace parallax {
namespace {

constexpr std::string_view lowering_imports =
    R"py(from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
)py";

constexpr std::string_view module_imports =
    R"py(from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch.export.graph_signature import OutputKind
)py";

constexpr std::string_view program_imports = R"py(from executorch.exir.passes import MemoryPlanningPass
from executorch.runtime import Runtime
from torch.export.graph_signature import OutputKind
)py";

constexpr std::string_view vulkan_imports =
    R"py(from executorch.backends.vulkan.serialization.vulkan_graph_serialize import (
    extract_vk_flatbuffer,
    flatbuffer_to_vk_graph,
)
from executorch.exir import schema
from executorch.exir._serialize._program import deserialize_pte_binary
)py";

// Without the pass a mutated buffer starts from nothing in particular: its data is not serialized.
constexpr std::string_view lower = R"py(def lower(module, example):
    with torch.no_grad():
        exported = torch.export.export(module, example, strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    edge = to_edge_transform_and_lower(exported, partitioner=partitioners(), compile_config=config)
    state = [name for name, _ in module.named_buffers()]
    passes = [InitializedMutableBufferPass(state)] if state else []
    return edge.to_executorch(ExecutorchBackendConfig(passes=passes))


)py";

// The runtime hands no buffer back: a further method reads them, which shares them. A control may have none.
constexpr std::string_view lower_with_state = R"py(class State(torch.nn.Module):
    """A further method of the program, which returns what its buffers hold."""

    def __init__(self, module):
        super().__init__()
        for name, buffer in module.named_buffers():
            self.register_buffer(name, buffer)

    def forward(self):
        return tuple(buffer.clone(memory_format=torch.contiguous_format) for buffer in self.buffers())


def lower(module, example):
    with torch.no_grad():
        exported = {"forward": torch.export.export(module, example, strict=False)}
        names = [name for name, _ in module.named_buffers()]
        if names:
            exported["state"] = torch.export.export(State(module), (), strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    delegates = {name: partitioners() if name == "forward" else [] for name in exported}
    edge = to_edge_transform_and_lower(exported, partitioner=delegates, compile_config=config)
    passes = [InitializedMutableBufferPass(names)] if names else []
    planning = MemoryPlanningPass(share_mutable_buffers=True)
    return edge.to_executorch(ExecutorchBackendConfig(passes=passes, memory_planning_pass=planning))


)py";

constexpr std::string_view run_head = R"py(def target(module, example):
    program = lower(module, example)
    signature = program.exported_program().graph_signature
    mutated = [
        list(signature.user_inputs).index(spec.target)
        for spec in signature.output_specs
        if spec.kind == OutputKind.USER_INPUT_MUTATION
    ]
    blob = program.buffer
)py";

constexpr std::string_view run_module = R"py(    loaded = _load_for_executorch_from_buffer(blob)

    def call(*given, _kept=blob):  # what is loaded does not keep it
        results = list(loaded.run_method("forward", given))
)py";

constexpr std::string_view run_program = R"py(    loaded = Runtime.get().load_program(blob)
    names = [name for name, _ in module.named_buffers()]
    # Both before the first call: loading a method writes the first data of the buffers again.
    forward, state = loaded.load_method("forward"), loaded.load_method("state") if names else None

    def call(*given, _kept=(blob, loaded)):  # what is loaded does not keep them
        results = list(forward.execute(given))
)py";

constexpr std::string_view run_rest =
    R"py(        for index in mutated:  # extra outputs before the others; the caller's tensor stays as it was
            given[index].set_(results.pop(0))
        return results

)py";

// Nothing runs: the outputs are eager's, and the script stands or falls by what the delegates declare.
constexpr std::string_view audit_target = R"py(def audit(buffer):
    """What is wrong between each delegate's declared inputs and outputs and its call, one line each."""
    program = deserialize_pte_binary(buffer).program
    plan = program.execution_plan[0]
    calls = [instruction.instr_args for chain in plan.chains for instruction in chain.instructions]
    for call in calls:
        if not isinstance(call, schema.DelegateCall):
            continue
        delegate = plan.delegates[call.delegate_index]
        blob = program.backend_delegate_data[delegate.processed.index].data
        graph = flatbuffer_to_vk_graph(extract_vk_flatbuffer(blob))
        declared = len(graph.input_ids) + len(graph.output_ids)
        print(f"  {delegate.id} declares {len(graph.input_ids)} inputs and {len(graph.output_ids)} outputs")
        if len(call.args) != declared:
            yield f"the call passes {len(call.args)} values for {declared}: a slot is never written, or never read"
        if len(set(graph.output_ids)) != len(graph.output_ids):
            yield "one value is declared as two outputs"
        if set(graph.input_ids) & set(graph.output_ids):
            yield "an input is declared as an output"


def target(module, example):
    faults = list(audit(lower(module, example).buffer))
    if faults:
        raise RuntimeError("; ".join(faults))
    return eager(module, example)
)py";

struct Delegate {
  std::string_view target;
  std::string_view title;
  std::string_view import_line;  // of its partitioner
  std::string_view partitioners;
  bool runs = true;  // rather than being lowered and audited
};
constexpr std::array delegates = {
    Delegate{"executorch-portable", "ExecuTorch's portable kernels against eager", "", "[]"},
    Delegate{"executorch-xnnpack", "ExecuTorch's XNNPACK delegate against eager",
             "from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner\n",
             "[XnnpackPartitioner()]"},
    Delegate{"executorch-vulkan", "ExecuTorch's lowering to Vulkan, its program checked and not run",
             "from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner\n",
             "[VulkanPartitioner()]", false},
};

// Imports are in the order that import sorters keep.
struct Way {
  std::string imports;
  std::string definition;
};

Way way_of(const Delegate& delegate, bool with_state) {
  if (!delegate.runs) {
    return {fmt::format("{}{}{}", vulkan_imports, delegate.import_line, lowering_imports),
            fmt::format("{}{}", lower, audit_target)};
  }
  const std::string before = fmt::format("{}{}", delegate.import_line, lowering_imports);
  if (!with_state) {
    return {fmt::format("{}{}", before, module_imports),
            fmt::format("{}{}{}{}    return call, dict\n", lower, run_head, run_module, run_rest)};
  }
  return {fmt::format("{}{}", before, program_imports),
          fmt::format("{}{}{}{}    return call, lambda: dict(zip(names, state.execute(()) if names else []))\n",
                      lower_with_state, run_head, run_program, run_rest)};
}

// The runtime's own rule ("Input 0 ... should be contiguous or channels-last").
bool takes(const Layout& layout) {
  if (is_contiguous(layout) || layout.rank() != 4) return is_contiguous(layout);
  const Dims& s = layout.sizes;
  const Layout channels_last{s, {s[1] * s[2] * s[3], 1, s[3] * s[1], s[1]}, 0};
  return same_places(layout, channels_last);
}

}  // namespace

bool drives_executorch(std::string_view family) {
  return std::ranges::find(delegates, family, &Delegate::target) != delegates.end();
}

bool has_state(const Case& test) {
  return std::ranges::find(test.graph.sources, SourceKind::Buffer, &Source::kind) != test.graph.sources.end();
}

Result<ScriptTarget> executorch_script_target(std::string_view target, bool with_state) {
  const auto* delegate = std::ranges::find(delegates, family_of_target(target), &Delegate::target);
  if (delegate == delegates.end()) {
    return fail(
        "no ExecuTorch script drives '{}'; these do: executorch-portable, executorch-xnnpack, executorch-vulkan",
        target);
  }
  auto [imports, definition] = way_of(*delegate, with_state);
  return ScriptTarget{
      .title = std::string(delegate->title),
      .imports = std::move(imports),
      .definition = fmt::format("def partitioners():\n    return {}\n\n\n{}", delegate->partitioners, definition),
      .packages = {"torch", "executorch"},
      .takes = takes};
}

Result<std::string> emit_executorch(const Case& test, const ScriptOptions& options) {
  TRY(const ScriptTarget target, executorch_script_target(options.target, has_state(test)));
  return python_script(test, options, target);
}

}  // namespace parallax
