#include "graph/counts.h"

#include <algorithm>

#include "ops/counted_size.h"

namespace parallax {

bool states_count(const Node& node) {
  return has_counted_size(*node.op) && !is_none(node.arguments[count_place(*node.op)]);
}

// A mask stands for the first of the dims that it covers.
int counted_dim(const Node& node) {
  const auto* indices = node.arguments.size() > 1 ? std::get_if<ValueList>(&node.arguments[1]) : nullptr;
  if (!indices) return 0;
  const auto first = std::ranges::find_if(*indices, [](ValueId index) { return index.valid(); });
  return static_cast<int>(first - indices->begin());
}

bool holds_counts(const Graph& graph) { return std::ranges::any_of(graph.nodes, states_count); }

bool is_count(const Symbols& symbols, std::size_t symbol) {
  return std::ranges::none_of(symbols.dims, [&](const SymbolicDim& dim) { return dim.of.symbol == symbol; });
}

}  // namespace parallax
