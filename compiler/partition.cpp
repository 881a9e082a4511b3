#include "compiler/partition.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

Result<std::vector<int>> assign_backends(const Graph& graph, std::span<const Graph> others,
                                         std::span<const Backend> backends) {
  std::vector<int> assigned;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const auto takes = [&](const Backend& backend) {
      return std::ranges::find(backend.leaves, node.op) == backend.leaves.end() && backend.takes(graph, node) &&
             std::ranges::all_of(others, [&](const Graph& other) { return backend.takes(other, other.nodes[n]); });
    };
    const auto found = std::ranges::find_if(backends, takes);
    if (found == backends.end()) {
      return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                   fmt::format("no backend takes node '{}' ({})", node.name, node.op->name)});
    }
    assigned.push_back(static_cast<int>(found - backends.begin()));
  }
  return assigned;
}

// By value: one past the last partition that names it; past all for what the caller gets.
std::vector<std::size_t> last_readers(const Graph& graph, const std::vector<Partition>& partitions) {
  std::vector<std::size_t> last(graph.metas.size(), 0);
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    for (std::size_t n = partitions[p].nodes.first; n < partitions[p].nodes.end; ++n) {
      for (const Argument& argument : graph.nodes[n].arguments) {
        for_each_value(argument,
                       [&](ValueId value) { last[value.index] = exact_or_one_less<"reader_one_early">(p + 1); });
      }
    }
  }
  for (ValueId output : graph.outputs)
    last[output.index] = taken_unless_dropped<"outputs_unread">() ? partitions.size() + 1 : last[output.index];
  return last;
}

}  // namespace

void reorder(Graph& graph, NodeRange range, std::span<const NodeId> order) {
  std::vector<Node> nodes;
  for (NodeId id : order) nodes.push_back(std::move(graph.nodes[id.index]));
  std::ranges::move(nodes, graph.nodes.begin() + static_cast<std::ptrdiff_t>(range.first));
}

Result<std::vector<Partition>> partition(Graph& graph, std::span<const Graph> others, std::span<const Backend> backends,
                                         const PartitionRules& rules) {
  TRY(const std::vector<int> backend_of, assign_backends(graph, others, backends));
  const NodeRange all{0, graph.nodes.size()};
  std::vector<Partition> partitions;
  std::vector<NodeId> order;
  for (const Run& run : rules.order(rules.dependencies(graph), all, backend_of)) {
    Partition& partition = partitions.emplace_back();
    partition.backend = static_cast<std::size_t>(run.key);
    partition.nodes = {order.size(), order.size() + run.nodes.size()};
    order.insert(order.end(), run.nodes.begin(), run.nodes.end());
  }
  reorder(graph, all, order);
  return partitions;
}

void bind_boundaries(const Graph& graph, std::vector<Partition>& partitions, const PartitionRules& rules) {
  const std::vector<std::size_t> last = last_readers(graph, partitions);
  std::vector<std::size_t> seen_in(graph.metas.size(), 0);  // by value: one past the partition that has it already
  std::vector<int> input_of(graph.storages.size(), -1);     // by storage: the first input that lies in it
  for (std::size_t p = 0; p < partitions.size(); ++p) {
    Partition& partition = partitions[p];
    for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
      const Node& node = graph.nodes[n];
      for (const Argument& argument : node.arguments) {
        for_each_value(argument, [&](ValueId value) {
          if (std::exchange(seen_in[value.index], p + 1) == p + 1) return;
          int& input = input_of[graph.meta(value).storage.index];
          if (input < 0) input = static_cast<int>(partition.inputs.size());
          partition.inputs.push_back(value);
        });
      }
      for (ValueId result : node.results) {
        seen_in[result.index] = p + 1;
        if (at_most_unless_flipped<"next_partition_unread">(last[result.index], p + 1)) continue;
        partition.outputs.push_back(result);
        partition.passed.push_back(input_of[graph.meta(result).storage.index]);
        partition.output_types.push_back(graph.meta(result).dtype);
      }
    }
    for (ValueId input : partition.inputs) {
      if (taken_unless_dropped<"inputs_remembered">()) input_of[graph.meta(input).storage.index] = -1;
    }
    partition.arguments = partition.inputs;
    partition.results = partition.outputs;
    if (rules.adjust) rules.adjust(graph, partition);
  }
}

}  // namespace parallax
