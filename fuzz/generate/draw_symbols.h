// Drawing sizes that change from run to run: which dims of the inputs, and what they are in each run.
#pragma once

#include "core/choices.h"
#include "graph/builder.h"
#include "graph/symbols.h"

namespace parallax {

// One or two symbols, each a dim that inputs of equal sizes have in common, at its bound in the graph; none where no
// input has such a dim. `graph` has nothing but its sources.
Symbols draw_symbols(Choices& choices, const Graph& graph);

// What the symbols are in two or three runs: at the bound, below it, at the least, or two symbols
// with each other's sizes.
std::vector<SymbolSizes> draw_run_sizes(Choices& choices, const Symbols& symbols);

// A graph that grows at its bound, seen at the sizes of its runs: only what is the same call at all of them may join
// it.
class SizesAhead {
 public:
  SizesAhead() = default;
  SizesAhead(const Symbols& symbols, const std::vector<SymbolSizes>& runs, const Graph& sources);

  // Whether a call over the graph's values gives at each size what it gives at the bound, but for the sizes.
  bool take(const Op& op, std::span<const Argument> arguments, const Graph& graph);
  // The call that was taken last is now the graph's last node.
  void add_node(const Graph& graph);

 private:
  std::vector<std::vector<TensorMeta>> metas_;    // by run and value
  std::vector<std::vector<ResultMeta>> results_;  // by run: of the call that was taken last
};

}  // namespace parallax
