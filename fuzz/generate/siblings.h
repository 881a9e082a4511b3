// Siblings: the calls that could stand where a call stands, one op for another.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

struct Sibling {
  std::string name;  // "alias_copy", "add 0"
  const Op* op = nullptr;
  std::vector<Argument> arguments;
};

// Copies for a copy that keeps dtype and sizes, and x + 0 among them; views for a view, and its copying twin; a handful
// of ops of its kind for any other. Whether what follows still infers is for the caller to see.
std::vector<Sibling> siblings_of(const Graph& graph, const Node& node);

}  // namespace parallax
