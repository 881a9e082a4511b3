// Decompose: ops that backends have no kernel for become what they are made of.
#include <algorithm>

#include "compiler/decomposition.h"
#include "compiler/passes.h"

namespace parallax {

Result<Graph> decompose_with(const Graph& graph, const DecompositionTable& table, KeepFn keeps) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) {
    if (!table.find(node.op->name) || (keeps && keeps(graph, node))) {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    TRY(const auto parts, composed(rewriter, table, *node.op, rewriter.mapped_arguments(node), node.name));
    if (!parts) {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    for (std::size_t k = 0; k < parts->size(); ++k) rewriter.stand_in(node.results[k], (*parts)[k]);
  }
  return rewriter.finish();
}

Result<Graph> decompose_writes(const Graph& graph) { return decompose_with(graph, write_decompositions()); }

bool holds_decomposed_writes(const Graph& graph) {
  const DecompositionTable& table = write_decompositions();
  return std::ranges::any_of(graph.nodes, [&](const Node& node) { return table.find(node.op->name) != nullptr; });
}

Result<Graph> decompose(const Graph& graph, const PassOptions& options) {
  return decompose_with(graph, decompositions(), options.keeps);
}

}  // namespace parallax
