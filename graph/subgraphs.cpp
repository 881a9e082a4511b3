#include "graph/subgraphs.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {

void SubgraphNames::gather(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const ControlOp* op = as_control(*node.op);
    if (!op) continue;
    for (const Subgraph& subgraph : op->parts.subgraphs) {
      if (names_.contains(subgraph.graph.get())) continue;
      const auto taken = [&](const std::string& name) {
        return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == name; });
      };
      std::string name = subgraph.name;
      for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", subgraph.name, number);
      order_.push_back(subgraph.graph.get());
      names_.emplace(subgraph.graph.get(), std::move(name));
      gather(*subgraph.graph);
    }
  }
}

WrittenControl written_control(const ControlOp& op, const Node& node) {
  WrittenControl written;
  std::size_t next = 0;
  const auto take = [&](std::size_t count) {
    std::vector<ValueId> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(std::get<ValueId>(node.arguments[next++]));
    return values;
  };
  written.predicate = take(op.first_operand());
  if (op.parts.carries > 0) written.operands.push_back(take(op.parts.carries));
  if (op.parts.scanned > 0) written.operands.push_back(take(op.parts.scanned));
  if (op.parts.closures > 0 || op.kind() == ControlKind::Cond) written.operands.push_back(take(op.parts.closures));
  return written;
}

}  // namespace parallax
