// F48: a copy of a buffer that is returned becomes the buffer itself, which the same run or the next one writes
// (Core ML Tools #2713).
#include "compiler/faults.h"
#include "compiler/faults/state_of_graph.h"
#include "compiler/rewriter.h"

namespace parallax {
namespace {

// Whether the node returns a copy of a buffer that lies as the buffer does.
bool returns_a_copy(const Graph& graph, const Node& node) {
  static const Op& clone = op_named("aten.clone.default");
  if (node.op != &clone) return false;
  const ValueId copied = Call(clone, node.arguments, graph.metas).value(arg::self);
  return buffer_of(graph, copied) != nullptr &&
         std::ranges::find(graph.outputs, node.results.front()) != graph.outputs.end() &&
         graph.meta(copied).layout == graph.meta(node.results.front()).layout;
}

Result<Graph> functionalize_aliasing_returned_caches(const Graph& graph, const PassOptions&) {
  TRY(const Graph functional, functionalize(graph));
  Rewriter rewriter(functional);
  for (const Node& node : functional.nodes) {
    if (!returns_a_copy(functional, node)) {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    const ValueId copied = Call(*node.op, node.arguments, functional.metas).value(arg::self);
    TRY(const ValueId alias, rewriter.builder().call("aten.alias.default", {rewriter[copied]}, node.name));
    rewriter.map(node.results.front(), alias);
  }
  return rewriter.finish();
}

}  // namespace

const Fault returned_cache_aliased = {
    "F48",
    "alias of a returned cache",
    "compiler/passes/functionalize.cpp",
    "a copy of a buffer that is returned is the buffer itself, whatever is written to it later",
    "coremltools#2713",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_aliasing_returned_caches); },
};

}  // namespace parallax
