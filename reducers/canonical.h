// Canonical names and order: what a reduced case is written with, so that equal findings look equal.
#pragma once

#include <string>
#include <vector>

#include "graph/sketch.h"

namespace parallax {

// Inputs x, y, z, x3 …; constants w, w1 …; buffers s, s1 …; nodes a, b, c …, v20 …; storages m, m1 …
struct CanonicalNames {
  std::vector<std::string> sources;   // parallel to graph.sources
  std::vector<std::string> nodes;     // parallel to graph.nodes
  std::vector<std::string> storages;  // parallel to graph.storages; empty for those that are not declared
};

CanonicalNames canonical_names(const Graph& graph);
// The name of element k of a list result: "c0" of node "c".
std::string canonical_element_name(const std::string& node, std::size_t k);

// Positions in graph.sources in the order of first use (nodes, then outputs, then unused), kinds kept apart.
std::vector<std::size_t> order_of_use(const Graph& graph);

// The case's sketch with those names; with its sources in that order.
Sketch with_canonical_names(const Case& test);
Sketch with_canonical_order(const Case& test);
// The case with both, and without an expectation.
Case canonical_case(const Case& test);

}  // namespace parallax
