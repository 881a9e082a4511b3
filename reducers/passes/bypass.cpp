// One node gone, in every way: each operand of its type stands in for what it made, then an input, then a constant.
#include <fmt/format.h>

#include "graph/print.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"
#include "reducers/removal.h"

namespace parallax {
namespace {

Sketch without_node(const Case& test, std::size_t n) {
  Sketch sketch = take_apart(test);
  sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  return sketch;
}

}  // namespace

std::vector<Edit> bypass_candidates(const Case& test, const RecordedValues& recorded) {
  CandidateList candidates(test);
  const Graph& graph = test.graph;
  const std::optional<std::vector<Tensor>> values = recorded(test);
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    const Sketch without = without_node(test, n);
    if (node.results.size() == 1) {
      for (ValueId operand : same_type_operands(graph, node, node.results.front())) {
        Sketch sketch = without;
        sketch.replace(node.results.front(), operand);
        candidates.offer(fmt::format("{} for {}", graph.name(operand), node.name), sketch);
      }
    }
    if (!values) continue;
    const std::vector<bool> used = used_values(without);
    for (SourceKind kind : {SourceKind::Input, SourceKind::Constant}) {
      Sketch sketch = without;
      for (ValueId result : node.results) {
        if (used[result.index]) stand_in_source(sketch, kind, result, graph.name(result), (*values)[result.index]);
      }
      candidates.offer(fmt::format("{} for {}", source_kind_name(kind), node.name), sketch);
    }
  }
  return candidates.take();
}

}  // namespace parallax
