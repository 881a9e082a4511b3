// A node's arguments as JSON: what a string, a number or a list means depends on the parameter it is passed for.
#pragma once

#include <functional>
#include <variant>

#include "core/json_field.h"
#include "graph/graph.h"

namespace parallax {

// What a "%name" stands for: a tensor, or the list that a node with a list result gives.
using Reference = std::variant<ValueId, ValueList>;
// Looks a "%name" up; the error says whether the name is unknown or defined later.
using ResolveReference = std::function<Result<Reference>(const Field& field)>;

// Reads one argument and brings it into the parameter's form. Errors carry the field's pointer.
Result<Argument> read_argument(const Field& field, const Parameter& parameter, const ResolveReference& resolve);

// The inverse of read_argument.
Json argument_json(const Argument& argument, const Graph& graph);

}  // namespace parallax
