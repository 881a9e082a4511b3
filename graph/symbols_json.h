// Symbols as the case file writes them: {"B": [1, 8]}, "f32[B,2*B+1]" as an input's type, and concrete types in each
// feed.
#pragma once

#include "core/json_field.h"
#include "graph/symbols.h"
#include "graph/type_text.h"

namespace parallax {

// The symbols of a case and the dims of the graph's inputs that they are. Refuses a name that neither an input's type
// nor a node's "count" has, one that both have, and an input that has one and is not row-major in memory of its own.
Result<Symbols> read_symbols(const Field& symbols, const Field& graph);
// {"B": [1, 8]}
Json symbols_json(const Symbols& symbols);

// The relation in "2*s+1" to one of the symbols.
Result<Relation> read_relation(std::string_view text, const Symbols& symbols);

// What one run makes of the symbols: the entries of its feed for inputs with symbols carry their type, and its "counts"
// say the others. Refuses two dims that disagree and a size outside the range.
Result<SymbolSizes> read_symbol_sizes(const Symbols& symbols, const Field& graph, const Field& run);
// The "counts" of a run at these sizes: of the symbols that no input has. Empty where there are none.
Json counts_json(const Symbols& symbols, const SymbolSizes& sizes);

// The sizes that names in a type stand for.
NamedSize named_sizes(const Symbols& symbols, const SymbolSizes& sizes);
// The type of a source, its symbols by name.
std::string symbolic_type_text(const Graph& graph, std::size_t source, const Symbols& symbols);

}  // namespace parallax
