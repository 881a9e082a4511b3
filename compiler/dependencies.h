// Dependencies: which nodes of a graph must have run before which, and orders that keep to it.
#pragma once

#include <span>
#include <vector>

#include "compiler/program.h"

namespace parallax {

// By node: those that must run before it, each once.
using Dependencies = std::vector<std::vector<NodeId>>;
using DependencyRule = Dependencies (*)(const Graph& graph);

// What makes an operand; and of each write to memory, the accesses of the same memory before it, and it for those
// after.
Dependencies all_dependencies(const Graph& graph);
// The first part alone: who makes an operand.
Dependencies value_dependencies(const Graph& graph);

// The order of the nodes of one range, in runs of one key: the run goes on while some node of its key is ready, then
// the first ready node begins another. Within a run nodes keep their order where they can. `keys` goes by node.
// Dependencies outside the range are taken to have run.
struct Run {
  int key = 0;
  std::vector<NodeId> nodes;
};
std::vector<Run> order_in_runs(const Dependencies& dependencies, NodeRange range, std::span<const int> keys);

// An order of all nodes that the seed draws.
std::vector<NodeId> drawn_order(const Dependencies& dependencies, uint64_t seed);

}  // namespace parallax
