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

constexpr std::string_view runtime_imports =
    R"py(from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
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

constexpr std::string_view run_target = R"py(def target(module, example):
    program = lower(module, example)
    signature = program.exported_program().graph_signature
    mutated = [
        list(signature.user_inputs).index(spec.target)
        for spec in signature.output_specs
        if spec.kind == OutputKind.USER_INPUT_MUTATION
    ]
    blob = program.buffer
    loaded = _load_for_executorch_from_buffer(blob)

    def call(*given, _kept=blob):  # what is loaded does not keep it
        results = list(loaded.run_method("forward", given))
        for index in mutated:  # extra outputs before the others; the caller's tensor stays as it was
            given[index].set_(results.pop(0))
        return results

    return call, dict  # buffers stay inside the program
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
  std::string_view imports;  // of the partitioner and of what comes after the lowering
  std::string_view partitioners;
  std::string_view definition;
};
constexpr std::array delegates = {
    Delegate{"executorch-portable", "ExecuTorch's portable kernels against eager", "", "[]", run_target},
    Delegate{"executorch-xnnpack", "ExecuTorch's XNNPACK delegate against eager",
             "from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner\n",
             "[XnnpackPartitioner()]", run_target},
    Delegate{"executorch-vulkan", "ExecuTorch's lowering to Vulkan, its program checked and not run",
             "from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner\n",
             "[VulkanPartitioner()]", audit_target},
};

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

Result<ScriptTarget> executorch_script_target(std::string_view target) {
  const auto* delegate = std::ranges::find(delegates, family_of_target(target), &Delegate::target);
  if (delegate == delegates.end()) {
    return fail(
        "no ExecuTorch script drives '{}'; these do: executorch-portable, executorch-xnnpack, executorch-vulkan",
        target);
  }
  const bool runs = delegate->definition == run_target;
  // In the order that import sorters keep; a partitioner serves one lowering.
  return ScriptTarget{.title = std::string(delegate->title),
                      .imports = runs ? fmt::format("{}{}{}", delegate->imports, lowering_imports, runtime_imports)
                                      : fmt::format("{}{}{}", delegate->imports, vulkan_imports, lowering_imports),
                      .definition = fmt::format("def partitioners():\n    return {}\n\n\n{}{}", delegate->partitioners,
                                                lower, delegate->definition),
                      .packages = {"torch", "executorch"},
                      .takes = takes};
}

Result<std::string> emit_executorch(const Case& test, const ScriptOptions& options) {
  TRY(const ScriptTarget target, executorch_script_target(options.target));
  return python_script(test, options, target);
}

}  // namespace parallax
