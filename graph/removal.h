// Removal: nodes taken out of a sketch, with something else in the place of what they made.
#pragma once

#include <span>

#include "graph/sketch.h"

namespace parallax {

enum class Removal {
  Bypass,   // an operand of the same type stands in; where there is none, an input with the recorded value
  Promote,  // an input with the recorded value stands in, and an output that the node made is dropped
};

// The sketch of `test` without the nodes [begin, end), or nothing where a value that is still needed has no stand-in.
// `recorded` may be null where nothing could be recorded.
std::optional<Sketch> remove_nodes(const Case& test, std::size_t begin, std::size_t end, Removal removal,
                                   const std::vector<Tensor>* recorded);

// Adds a row-major source that holds `data` and stands in for `value`.
void stand_in_source(Sketch& sketch, SourceKind kind, ValueId value, const std::string& name, const Tensor& data);

// The operands of a node that have a result's dtype and sizes, without repeats.
std::vector<ValueId> same_type_operands(const Graph& graph, const Node& node, ValueId result);

// By value: whether a node or an output of the sketch names it, stand-ins followed.
std::vector<bool> used_values(const Sketch& sketch);

}  // namespace parallax
