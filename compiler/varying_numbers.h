// Varying numbers: what of a compiled graph's arguments hangs on the sizes that it was compiled at.
//
// A pass spells sizes out: the shape of a view, the count that a sum is divided by. Rather than teach each pass to keep
// symbols, the graphs that all passes together make at several sizes are laid side by side.
#pragma once

#include <span>

#include "compiler/program.h"

namespace parallax {

// The numbers in the arguments of `made`, compiled at the bound, that change with the sizes; `others` are what was
// compiled at `sizes`. Refuses, naming a node, graphs that differ in more than shapes and such numbers, and numbers
// that are no sum of multiples of the sizes.
Result<std::vector<VaryingNumber>> varying_numbers(const Graph& made, const Symbols& symbols,
                                                   std::span<const SymbolSizes> sizes, std::span<const Graph> others);

// Whether an argument follows the sizes.
using RefreshRule = bool (*)(const Argument& argument);

// What a number is at these sizes. `real`: no integer.
using NumberRule = double (*)(const VaryingNumber& number, const Symbols& symbols, const SymbolSizes& sizes, bool real);
double number_at(const VaryingNumber& number, const Symbols& symbols, const SymbolSizes& sizes, bool real);

// The graph at other sizes, its numbers included.
Result<Graph> with_numbers_at(const Graph& graph, const Symbols& symbols, std::span<const VaryingNumber> varying,
                              const SymbolSizes& sizes, RefreshRule refreshes, NumberRule number = number_at);

}  // namespace parallax
