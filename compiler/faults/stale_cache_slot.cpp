// F43: what reads a cache after one place of it was written sees the cache as it was before the run, although the state
// is written back in full (llama.cpp #27805, PyTorch #115774).
#include <map>

#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

bool writes_a_place(const Op& op) {
  static const std::array ops = {&op_named("aten.index_copy.default"), &op_named("aten.index_put.default"),
                                 &op_named("aten.as_strided_scatter.default")};
  return std::ranges::find(ops, &op) != ops.end();
}

Result<Graph> functionalize_with_stale_reads(const Graph& graph, const PassOptions&) {
  TRY(const Graph functional, functionalize(graph));
  Rewriter rewriter(functional);
  std::map<uint32_t, ValueId> before;  // by the index of a cache that was written at one place
  const auto stale = [&](ValueId value) {
    const auto found = before.find(value.index);
    return rewriter[found == before.end() ? value : found->second];
  };
  for (const Node& node : functional.nodes) {
    const bool writes = writes_a_place(*node.op);
    if (writes || write_back_of(functional, node)) {
      TRY_VOID(rewriter.copy(node));
    } else {
      TRY_VOID(rewriter.add(node, replaced_arguments(node, stale)));
    }
    if (!writes) continue;
    const ValueId cache = Call(*node.op, node.arguments, functional.metas).value(arg::self);
    if (buffer_of(functional, cache) != nullptr) before.emplace(node.results.front().index, cache);
  }
  return rewriter.finish();
}

}  // namespace

const Fault stale_cache_slot = {
    "F43",
    "stale cache slot",
    "compiler/passes/functionalize.cpp",
    "what reads a buffer after one place of it was written sees what the place held before the run",
    "llama.cpp#27805, pytorch#115774",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_with_stale_reads); },
};

}  // namespace parallax
