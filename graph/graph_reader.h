// Reads the "graph" part of a case file.
#pragma once

#include "core/json_field.h"
#include "graph/symbols.h"
#include "graph/type_text.h"

namespace parallax {

// Reads a graph through GraphBuilder, so what comes back is valid. Errors carry the JSON pointer of the field at fault.
// `getitem` is no node: it names an element of a list result. `feed`, if there is one, is the case's: where the shape
// of a result depends on data (Op::complete), that data is read from it, and the call then states the size. `named`
// resolves the symbols in the types of inputs; null where the case has none.
Result<Graph> read_graph(const Field& graph, std::optional<Field> feed = std::nullopt,
                         const NamedSize& named = nullptr);

// The data of a feed's entry, which may carry its type.
Field data_of(const Field& entry);

}  // namespace parallax
