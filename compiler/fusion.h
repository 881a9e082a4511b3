// Fusion: element-wise nodes of one partition run in one loop, in blocks of elements, and what nobody else reads is
// never put into memory.
#pragma once

#include <span>

#include "compiler/partition.h"

namespace parallax {

// Who reads a value.
struct ValueUses {
  std::vector<NodeId> nodes;
  bool returned = false;
};

// Whether a node may run in a loop over the elements of its one result: all its tensors are row-major and of the
// result's sizes, or rows that repeat along its outer dims, or one element.
bool runs_by_element(const Graph& graph, const Node& node);
// Whether anybody outside the group reads a value that one of its nodes made.
bool is_needed_outside(const NodeRange& group, const ValueUses& uses);

struct FusionRules {
  bool (*joins)(const Graph& graph, const Node& node) = runs_by_element;
  bool (*is_needed)(const NodeRange& group, const ValueUses& uses) = is_needed_outside;

  friend bool operator==(const FusionRules&, const FusionRules&) = default;
};

// The first of the nodes, which are numbered as the graph's values are, that cannot share a loop with those before it;
// null where they are a loop.
const Node* leaver_of_loop(const Graph& graph, std::span<const Node> nodes, const FusionRules& rules);

// The groups of those partitions whose backend fuses, and those that a backend runs whole. Nodes move within their
// partition, so that those of a loop stand together; a loop's results all have the same sizes, in each of `others` too:
// the graph as it was handed in, at other sizes.
std::vector<FusedGroup> fuse(Graph& graph, std::span<const Graph> others, std::span<const Partition> partitions,
                             std::span<const Backend> backends, const FusionRules& rules);

}  // namespace parallax
