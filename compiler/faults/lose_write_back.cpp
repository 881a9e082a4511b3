// F06: functionalize takes the copy back into the caller's memory for needless where its source is returned as well, is
// another input, or was written through a view (coremltools #2713, ExecuTorch #7515, #21979).
#include <algorithm>

#include "compiler/faults.h"
#include "compiler/rewriter.h"
#include "ops/registry.h"

namespace parallax {
namespace {

bool is_handed_over(const Graph& graph, ValueId value) {
  const auto lies_with = [&](ValueId other) { return graph.meta(other).storage == graph.meta(value).storage; };
  return std::ranges::any_of(graph.outputs, lies_with) || std::ranges::any_of(graph.sources, lies_with, &Source::value);
}

bool is_written_through_a_view(const Graph& graph, ValueId value) {
  static const Op& scatter = op_named("aten.as_strided_scatter.default");
  return std::ranges::any_of(graph.nodes,
                             [&](const Node& node) { return node.op == &scatter && node.results.front() == value; });
}

Result<Graph> functionalize_losing_writes(const Graph& graph, const PassOptions&) {
  static const Op& copy = op_named("aten.copy_.default");
  TRY(const Graph functional, functionalize(graph));
  Rewriter rewriter(functional);
  for (const Node& node : functional.nodes) {
    const Call call(*node.op, node.arguments, functional.metas);
    const bool writes_back = node.op == &copy;
    const ValueId source = writes_back ? call.value(arg::src) : ValueId();
    if (writes_back && (is_handed_over(functional, source) || is_written_through_a_view(functional, source))) {
      rewriter.map(node.results.front(), rewriter[call.value(arg::self)]);
    } else {
      TRY_VOID(rewriter.copy(node));
    }
  }
  return rewriter.finish();
}

}  // namespace

const Fault lose_write_back = {
    "F06",
    "write-back lost",
    "compiler/passes/functionalize.cpp",
    "what was written to an input or a buffer through a view, or is returned too, is not copied back to it",
    "coremltools#2713, executorch#7515, executorch#21979",
    [](CompilerParts& parts) { parts.replace_pass("functionalize", functionalize_losing_writes); },
};

}  // namespace parallax
