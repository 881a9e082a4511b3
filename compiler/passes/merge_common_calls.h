// Common calls: the same op on the same operands, made once.
#pragma once

#include "graph/graph.h"

namespace parallax {

// When two calls may be one. A planted fault takes other conditions.
struct MergeRules {
  bool sees_writes = true;    // not where an operand or the first result was written in between
  bool merges_fills = false;  // also what makes new tensors of one number, which become one tensor
};

// compiler/passes/merge_common_calls.cpp
Result<Graph> merge_common_calls_with(const Graph& graph, const MergeRules& rules);

}  // namespace parallax
