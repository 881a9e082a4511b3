// Reads the "graph" part of a case file.
#pragma once

#include "core/json_field.h"
#include "graph/symbols.h"
#include "graph/type_text.h"

namespace parallax {

// A number in a call that the case writes as one that hangs on a symbol.
struct NumberText {
  std::size_t node = 0, argument = 0, place = 0;  // as SymbolicNumber has them
  std::string text;                               // "2*s+1"
};

// Reads a graph through GraphBuilder, so what comes back is valid. Errors carry the JSON pointer of the field at fault.
// `getitem` is no node: it names an element of a list result. `feed`, if there is one, is the case's: where the shape
// of a result depends on data (Op::complete), that data is read from it, and the call then states the size. `named`
// resolves the symbols in the types of inputs and in the numbers of calls ("$2*s+1"); null where the case has none.
// `numbers` takes what it resolved in calls.
Result<Graph> read_graph(const Field& graph, std::optional<Field> feed = std::nullopt, const NamedSize& named = nullptr,
                         std::vector<NumberText>* numbers = nullptr);

// The data of a feed's entry, which may carry its type.
Field data_of(const Field& entry);

}  // namespace parallax
