#include "planner/in_place.h"

#include <algorithm>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

StorageId storage_of(const InPlaceCandidate& candidate, ValueId value) { return candidate.graph.meta(value).storage; }

}  // namespace

bool operand_dies_here(const InPlaceCandidate& candidate) {
  const LiveRange& life = candidate.lifetimes[storage_of(candidate, candidate.operand).index].range;
  const int here = static_cast<int>(candidate.node.index);
  return life.first <= here && holds_unless_dropped<"operand_lives_on">(life.last == here);
}

bool both_are_the_backends(const InPlaceCandidate& candidate) {
  return holds_unless_dropped<"operand_of_the_caller">(
             candidate.lifetimes[storage_of(candidate, candidate.operand).index].arena == Arena::Backend) &&
         holds_unless_dropped<"result_of_the_caller">(
             candidate.lifetimes[storage_of(candidate, candidate.result).index].arena == Arena::Backend);
}

bool kernel_allows_it(const InPlaceCandidate& candidate) {
  return candidate.kernels(*candidate.graph.node(candidate.node).op,
                           exact_or_one_more<"next_parameter_of_kernel">(candidate.parameter));
}

bool elements_coincide(const InPlaceCandidate& candidate) {
  const TensorMeta& operand = candidate.graph.meta(candidate.operand);
  const TensorMeta& result = candidate.graph.meta(candidate.result);
  return holds_unless_dropped<"in_place_sizes_of_elements">(size_of(operand.dtype) == size_of(result.dtype)) &&
         holds_unless_dropped<"in_place_layouts">(operand.layout == result.layout) &&
         holds_unless_dropped<"in_place_over_gaps">(is_dense(result.layout)) &&
         holds_unless_dropped<"in_place_beyond_operand">(storage_bytes(candidate.graph, result.storage) <=
                                                         storage_bytes(candidate.graph, operand.storage));
}

bool no_other_operand_shares_it(const InPlaceCandidate& candidate) {
  const StorageId storage = storage_of(candidate, candidate.operand);
  bool shared = false;
  for (const Argument& argument : candidate.graph.node(candidate.node).arguments) {
    for_each_value(argument, [&](ValueId value) {
      const TensorMeta& other = candidate.graph.meta(value);
      shared |= other.storage == storage && other.layout != candidate.graph.meta(candidate.operand).layout;
    });
  }
  return holds_unless_dropped<"in_place_shared_views">(!shared);
}

std::vector<Reuse> choose_in_place(const Graph& graph, const Lifetimes& lifetimes, InPlaceKernels kernels,
                                   const InPlaceConditions& conditions) {
  std::vector<Reuse> reuses;
  if (!kernels) return reuses;
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.results.size() != 1 || makers[graph.meta(node.results.front()).storage.index] != NodeId(n)) continue;
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const auto* operand = std::get_if<ValueId>(&node.arguments[i]);
      if (!operand) continue;
      const InPlaceCandidate candidate{graph,    lifetimes,           kernels, NodeId(n), static_cast<int>(i),
                                       *operand, node.results.front()};
      const auto holds = [&](const InPlaceCondition& condition) { return condition.holds(candidate); };
      if (!std::ranges::all_of(conditions, holds)) continue;
      reuses.push_back({NodeId(n), graph.meta(*operand).storage, graph.meta(node.results.front()).storage});
      break;
    }
  }
  return reuses;
}

}  // namespace parallax
