#include "fuzz/findings/furthest_first.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "fuzz/generate/alias_relation.h"

namespace parallax {
namespace {

std::set<std::string_view> ops_of(const Graph& graph) {
  std::set<std::string_view> ops;
  for (const Node& node : graph.nodes) ops.insert(node.op->name);
  return ops;
}

// The share of what either has that not both have; 0 where neither has anything.
double unshared(std::size_t a, std::size_t b, std::size_t both) {
  const std::size_t either = a + b - both;
  return either == 0 ? 0 : 1 - static_cast<double>(both) / static_cast<double>(either);
}

double distance_of_ops(const Graph& a, const Graph& b) {
  const std::set<std::string_view> of_a = ops_of(a), of_b = ops_of(b);
  const auto both = std::ranges::count_if(of_a, [&](std::string_view op) { return of_b.contains(op); });
  return unshared(of_a.size(), of_b.size(), static_cast<std::size_t>(both));
}

double distance_of_aliases(const Graph& a, const Graph& b) {
  const AliasRelations of_a = alias_relations(a), of_b = alias_relations(b);
  return unshared(of_a.count(), of_b.count(), (of_a & of_b).count());
}

}  // namespace

double distance(const Finding& a, const Finding& b) {
  const bool other_place = a.stage != b.stage || a.blame != b.blame || a.cause != b.cause;
  return (a.verdict != b.verdict) + (a.target != b.target) + other_place +
         distance_of_ops(a.reduced.graph, b.reduced.graph) + distance_of_aliases(a.reduced.graph, b.reduced.graph);
}

std::vector<std::size_t> furthest_first(std::span<const Finding* const> findings) {
  std::vector<std::size_t> order;
  // By place: how far the nearest one that is listed already is; less than 0 once it is listed itself.
  std::vector<double> nearest(findings.size(), std::numeric_limits<double>::infinity());
  while (order.size() < findings.size()) {
    const auto size = [](const Finding* finding) { return finding->reduced.graph.nodes.size(); };
    const auto next = order.empty() ? std::ranges::min_element(findings, {}, size) - findings.begin()
                                    : std::ranges::max_element(nearest) - nearest.begin();
    const auto chosen = static_cast<std::size_t>(next);
    order.push_back(chosen);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      nearest[i] = std::min(nearest[i], distance(*findings[chosen], *findings[i]));
    }
    for (const std::size_t listed : order) nearest[listed] = -1;
  }
  return order;
}

}  // namespace parallax
