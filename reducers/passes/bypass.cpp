// One node gone, in every way: each operand of its type stands in for what it made, then what such a value was made of
// further up, then an input, then a constant, then the view that a view is of.
#include <fmt/format.h>

#include "graph/print.h"
#include "graph/removal.h"
#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

Sketch without_node(const Case& test, std::size_t n) {
  Sketch sketch = take_apart(test);
  sketch.nodes.erase(sketch.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  return sketch;
}

// Values of the result's type that it was made of, but for the node's own operands: the nearest first. With the node go
// those between, none of which can go alone where each undoes what the one before it did.
std::vector<ValueId> same_type_ancestors(const Graph& graph, const Node& node, ValueId result) {
  constexpr std::size_t most = 4;
  std::vector<const Node*> makers(graph.metas.size(), nullptr);  // by value
  for (const Node& other : graph.nodes) {
    for (ValueId made : other.results) makers[made.index] = &other;
  }
  const TensorMeta& wanted = graph.meta(result);
  std::vector<bool> seen(graph.metas.size(), false);
  std::vector<ValueId> ancestors;
  std::vector<const Node*> next = {&node};
  for (bool is_parent = false; !next.empty(); is_parent = true) {
    std::vector<const Node*> above;
    for (const Node* below : next) {
      for (const Argument& argument : below->arguments) {
        for_each_value(argument, [&](ValueId value) {
          if (seen[value.index]) return;
          seen[value.index] = true;
          const TensorMeta& meta = graph.meta(value);
          const bool same_type = meta.dtype == wanted.dtype && meta.layout.sizes == wanted.layout.sizes;
          if (is_parent && same_type && ancestors.size() < most) ancestors.push_back(value);
          if (makers[value.index]) above.push_back(makers[value.index]);
        });
      }
    }
    next = std::move(above);
  }
  return ancestors;
}

// What a view is of stands in for it although its sizes are others, where it is a view itself: of a chain one is left.
void offer_sources_of_views(const Case& test, CandidateList& candidates) {
  const Graph& graph = test.graph;
  std::vector<bool> is_view(graph.metas.size(), false);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const auto* source = node.op->is_view() ? std::get_if<ValueId>(&node.arguments.front()) : nullptr;
    if (!source) continue;
    for (ValueId result : node.results) is_view[result.index] = true;
    if (!is_view[source->index] || node.results.size() != 1) continue;
    Sketch sketch = without_node(test, n);
    sketch.replace(node.results.front(), *source);
    candidates.offer(fmt::format("{} for {}", graph.name(*source), node.name), sketch);
  }
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
      for (ValueId ancestor : same_type_ancestors(graph, node, node.results.front())) {
        Sketch sketch = without;
        sketch.replace(node.results.front(), ancestor);
        candidates.offer_with_and_without_dead(fmt::format("{} for {}", graph.name(ancestor), node.name), sketch);
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
  offer_sources_of_views(test, candidates);
  return candidates.take();
}

}  // namespace parallax
