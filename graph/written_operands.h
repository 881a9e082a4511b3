// The operands that a call writes to, as its schema's alias annotations say.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace parallax {

// Calls `visit(ValueId)` for every operand that a call of the op with these arguments writes to, in order; those of
// which it changes the metadata alone are among them (Op::writes_metadata_only).
template <class Visit>
void for_each_written(const Op& op, const std::vector<Argument>& arguments, Visit&& visit) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (op.schema.parameters[i].written) for_each_value(arguments[i], visit);
  }
}
template <class Visit>
void for_each_written(const Node& node, Visit&& visit) {
  for_each_written(*node.op, node.arguments, visit);
}

}  // namespace parallax
