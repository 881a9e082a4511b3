#include "graph/subgraphs.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax {

void SubgraphNames::gather(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const ControlOp* op = as_control(*node.op);
    if (!op) continue;
    for (const Subgraph& subgraph : op->parts.subgraphs) {
      const auto is_it = [&](const Subgraph& other) { return other.graph == subgraph.graph; };
      if (op->kind() != ControlKind::Custom) {
        if (std::ranges::find(run_, subgraph.graph.get()) == run_.end()) run_.push_back(subgraph.graph.get());
      } else if (std::ranges::none_of(operations_, is_it)) {
        operations_.push_back(subgraph);
      }
      if (names_.contains(subgraph.graph.get())) continue;
      const auto taken = [&](const std::string& name) {
        return std::ranges::any_of(names_, [&](const auto& entry) { return entry.second == name; });
      };
      std::string name = subgraph.name;
      for (int number = 2; taken(name); ++number) name = fmt::format("{}_{}", subgraph.name, number);
      order_.push_back(subgraph.graph.get());
      names_.emplace(subgraph.graph.get(), std::move(name));
      if (!subgraph.nones.empty()) nones_.emplace(subgraph.graph.get(), subgraph.nones);
      gather(*subgraph.graph);
    }
  }
}

std::vector<ValueId> SubgraphNames::returned(const Graph& subgraph) const {
  std::vector<ValueId> returned = subgraph.outputs;
  const auto nones = nones_.find(&subgraph);
  if (nones == nones_.end()) return returned;
  for (const std::size_t place : nones->second)
    returned.insert(returned.begin() + static_cast<std::ptrdiff_t>(place), ValueId());
  return returned;
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
  if (op.parts.closures > 0 || op.kind() == ControlKind::Cond || op.kind() == ControlKind::Custom)
    written.operands.push_back(take(op.parts.closures));
  return written;
}

}  // namespace parallax
