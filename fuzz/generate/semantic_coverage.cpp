#include "fuzz/generate/semantic_coverage.h"

#include <limits>

#include "core/choices.h"
#include "fuzz/generate/alias_relation.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Volatile, or the compiler sees that nothing reads them and leaves the writes out.
__attribute__((section("__libfuzzer_extra_counters"))) volatile uint8_t counters[semantic_counters];

// In the place of a relation: none.
constexpr std::size_t no_relation = alias_relation_count;
// In the place of a node's op, dtype and rank: the whole graph.
constexpr uint64_t whole_graph = std::numeric_limits<uint64_t>::max();

// Of a node's op, and the dtype and rank of its first result.
uint64_t kind_of(const Graph& graph, const Node& node) {
  const auto op = static_cast<uint64_t>(node.op - all_ops().data());
  if (node.results.empty()) return op;
  const TensorMeta& result = graph.meta(node.results.front());
  const auto rank = static_cast<uint64_t>(result.layout.rank());
  return mix(mix(op, static_cast<uint64_t>(result.dtype)), rank);
}

}  // namespace

std::vector<uint64_t> graph_features(const Graph& graph) {
  std::vector<uint64_t> features;
  const auto add = [&](uint64_t what, const AliasRelations& relations) {
    for (std::size_t r = 0; r < alias_relation_count; ++r) {
      if (relations[r]) features.push_back(mix(what, r));
    }
  };
  const auto [all, by_node] = alias_relations_by_node(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const uint64_t kind = kind_of(graph, graph.nodes[n]);
    features.push_back(mix(kind, no_relation));
    add(kind, by_node[n]);
  }
  add(whole_graph, all);
  return features;
}

std::vector<uint16_t> semantic_features(const Graph& graph) {
  std::vector<uint16_t> counted;
  for (const uint64_t feature : graph_features(graph)) {
    counted.push_back(static_cast<uint16_t>(feature % semantic_counters));
  }
  return counted;
}

void count_semantic_coverage(const Graph& graph) {
  for (const uint16_t feature : semantic_features(graph)) {
    // A counter that wraps to 0 would be one that was never reached.
    const uint8_t count = counters[feature];
    if (count < std::numeric_limits<uint8_t>::max()) counters[feature] = static_cast<uint8_t>(count + 1);
  }
}

}  // namespace parallax
