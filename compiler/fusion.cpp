#include "compiler/fusion.h"

#include <algorithm>
#include <map>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

std::vector<ValueUses> uses_of_values(const Graph& graph) {
  std::vector<ValueUses> uses(graph.metas.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) { uses[value.index].nodes.push_back(NodeId(n)); });
    }
  }
  for (ValueId output : graph.outputs) uses[output.index].returned = true;
  return uses;
}

// One key for all nodes of the same sizes that may share a loop, and one for each other node.
class LoopKeys {
 public:
  int of(const Graph& graph, const Node& node, const FusionRules& rules) {
    if (!rules.joins(graph, node)) return --alone_;
    const Dims& sizes = graph.meta(node.results.front()).layout.sizes;
    return by_sizes_.emplace(std::vector<int64_t>(sizes.begin(), sizes.end()), static_cast<int>(by_sizes_.size()))
        .first->second;
  }

 private:
  std::map<std::vector<int64_t>, int> by_sizes_;
  int alone_ = 0;
};

// What lies in memory that the nodes make and of which nobody else needs any part, through whatever view.
std::vector<ValueId> inner_values(const Graph& graph, const NodeRange& nodes, std::span<const ValueUses> uses,
                                  std::span<const std::optional<NodeId>> makers, const FusionRules& rules) {
  std::vector<ValueId> results;
  std::vector<StorageId> needed;
  for (std::size_t n = nodes.first; n < nodes.end; ++n) {
    for (ValueId result : graph.nodes[n].results) {
      results.push_back(result);
      if (rules.is_needed(nodes, uses[result.index])) needed.push_back(graph.meta(result).storage);
    }
  }
  std::erase_if(results, [&](ValueId result) {
    const StorageId storage = graph.meta(result).storage;
    const std::optional<NodeId>& maker = makers[storage.index];
    return !maker || !nodes.holds(maker->index) || std::ranges::find(needed, storage) != needed.end();
  });
  return results;
}

bool ends_with(const Dims& sizes, const Dims& tail) {
  return tail.size() <= sizes.size() && std::equal(tail.begin(), tail.end(), sizes.end() - tail.size());
}

}  // namespace

bool runs_by_element(const Graph& graph, const Node& node) {
  const bool pointwise = node.op->group == OpGroup::Pointwise || node.op->group == OpGroup::Comparison;
  if (!pointwise || node.results.size() != 1) return false;
  const Layout& result = graph.meta(node.results.front()).layout;
  if (result.rank() == 0 || !holds_unless_dropped<"strided_result_of_loops">(is_contiguous(result))) return false;
  bool fits = true;
  for (const Argument& argument : node.arguments) {
    for_each_value(argument, [&](ValueId value) {
      const Layout& layout = graph.meta(value).layout;
      fits = fits && holds_unless_dropped<"strided_in_loops">(is_contiguous(layout)) &&
             (layout.numel() == 1 || holds_unless_dropped<"any_tail_in_loops">(ends_with(result.sizes, layout.sizes)));
    });
  }
  return fits;
}

bool is_needed_outside(const NodeRange& group, const ValueUses& uses) {
  return (uses.returned && taken_unless_dropped<"returned_kept_inside">()) ||
         !std::ranges::all_of(uses.nodes, [&](NodeId user) { return group.holds(user.index); });
}

const Node* leaver_of_loop(const Graph& graph, std::span<const Node> nodes, const FusionRules& rules) {
  const Dims& sizes = graph.meta(nodes.front().results.front()).layout.sizes;
  const auto found = std::ranges::find_if(nodes, [&](const Node& node) {
    return !rules.joins(graph, node) || graph.meta(node.results.front()).layout.sizes != sizes;
  });
  return found == nodes.end() ? nullptr : &*found;
}

std::vector<FusedGroup> fuse(Graph& graph, std::span<const Graph> others, std::span<const Partition> partitions,
                             std::span<const Backend> backends, const FusionRules& rules) {
  std::vector<FusedGroup> groups;
  const auto groups_nodes = [](const Backend& backend) { return backend.fuses || backend.whole; };
  if (std::ranges::none_of(backends, groups_nodes)) return groups;
  LoopKeys keys;
  std::vector<int> key_of;
  for (const Node& node : graph.nodes) key_of.push_back(keys.of(graph, node, rules));
  const Dependencies dependencies = all_dependencies(graph);
  for (const Partition& partition : partitions) {
    const Backend& backend = backends[partition.backend];
    if (backend.whole) groups.push_back({partition.nodes, {}});
    if (!backend.fuses || backend.whole) continue;
    std::vector<NodeId> order;
    std::vector<NodeRange> loops;
    for (const Run& run : order_in_runs(dependencies, partition.nodes, key_of)) {
      const std::size_t first = partition.nodes.first + order.size();
      order.insert(order.end(), run.nodes.begin(), run.nodes.end());
      if (run.key >= 0 && run.nodes.size() > 1) loops.push_back({first, first + run.nodes.size()});
    }
    reorder(graph, partition.nodes, order);
    for (const NodeRange& loop : loops) {
      const auto nodes = std::span(graph.nodes).subspan(loop.first, loop.size());
      const auto holds = [&](const Graph& other) { return leaver_of_loop(other, nodes, rules) == nullptr; };
      if (std::ranges::all_of(others, holds)) groups.push_back({loop, {}});
    }
  }
  const std::vector<ValueUses> uses = uses_of_values(graph);
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (FusedGroup& group : groups) group.inner = inner_values(graph, group.nodes, uses, makers, rules);
  return groups;
}

}  // namespace parallax
