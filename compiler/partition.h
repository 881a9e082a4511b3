// Partition: nodes go to the backend that takes them, and neighbours in one backend become one call.
//
// Partitions are the runs of an order of the whole graph, so none can wait for another that waits for it. Their
// boundaries are lists bound by position, in which what is passed through, what comes out twice and what is not looked
// at stand like everything else.
#pragma once

#include <span>
#include <string_view>

#include "compiler/dependencies.h"

namespace parallax {

// What a target can hand nodes to.
struct Backend {
  std::string_view name;
  bool (*takes)(const Graph& graph, const Node& node) = nullptr;
  bool fuses = false;  // runs groups of element-wise nodes in one loop
  // Runs a partition as one step, in an order of its own: what comes in lives until the end of it, what goes out is
  // there from the start, and what stays within has no memory in the plan.
  bool whole = false;
  std::span<const Op* const> leaves = {};  // ops that it is not asked for, whatever it takes
};

using OrderRule = std::vector<Run> (*)(const Dependencies& dependencies, NodeRange range, std::span<const int> keys);

struct PartitionRules {
  DependencyRule dependencies = all_dependencies;
  OrderRule order = order_in_runs;
  // Changes the lists of a partition that are right.
  void (*adjust)(const Graph& graph, Partition& partition) = nullptr;

  friend bool operator==(const PartitionRules&, const PartitionRules&) = default;
};

// The partitions of a graph whose nodes have been moved into the order in which partitions run them; their lists are
// empty. A node goes to the first backend that takes it, in each of `others` too: the graph at other sizes. One that
// none takes is an error of kind Unsupported that names it.
Result<std::vector<Partition>> partition(Graph& graph, std::span<const Graph> others, std::span<const Backend> backends,
                                         const PartitionRules& rules);

// Fills in the lists of all partitions.
void bind_boundaries(const Graph& graph, std::vector<Partition>& partitions, const PartitionRules& rules);

// Puts the nodes of a range into that order; it names each of them once.
void reorder(Graph& graph, NodeRange range, std::span<const NodeId> order);

}  // namespace parallax
