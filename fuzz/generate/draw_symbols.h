// Drawing sizes that change from run to run: which dims of the inputs, and what they are in each run.
#pragma once

#include "core/choices.h"
#include "graph/builder.h"
#include "graph/symbols.h"

namespace parallax {

// One or two symbols, each a dim that inputs of equal sizes have in common, at its bound in the graph; none where no
// input has such a dim. Dims of other inputs may be in a relation to one of them, as 2*B+1. `graph` has nothing but its
// sources.
Symbols draw_symbols(Choices& choices, const Graph& graph);

// What the symbols are in so many runs: at the bound, below it, at the least, at one, all alike, as in an earlier run,
// or two symbols with each other's sizes.
std::vector<SymbolSizes> draw_run_sizes(Choices& choices, const Symbols& symbols, std::size_t count);
// Every symbol at its least.
SymbolSizes least_sizes(const Symbols& symbols);
// Two to eight runs, seldom many.
std::size_t draw_run_count(Choices& choices);

// An integer in an argument, by its places, that hangs on a symbol.
struct NumberInCall {
  std::size_t argument = 0;
  std::size_t place = 0;
  Relation of = {};
};

// A graph that grows at its bound, seen at the sizes of its runs and at those of the range that are special: only what
// is the same call at all of them may join it. What is another one somewhere in the range is no program of that range.
class SizesAhead {
 public:
  SizesAhead() = default;
  // The symbols must outlive it.
  SizesAhead(const Symbols& symbols, const std::vector<SymbolSizes>& runs, const Graph& sources);

  // Whether a call over the graph's values, of whose numbers these hang on symbols, gives at each size what it gives at
  // the bound, but for the sizes.
  bool take(const Op& op, std::span<const Argument> arguments, const Graph& graph,
            const std::vector<NumberInCall>& numbers = {});
  // Sizes that a call spells out and that would fix a symbol, made ones that follow it: -1 in the shape of a view, or
  // numbers that hang on symbols. Nothing where that does not help; else the call is taken.
  std::optional<std::vector<NumberInCall>> follow(Choices& choices, const Op& op, std::vector<Argument>& arguments,
                                                  const Graph& graph);
  // A source of one size is now the graph's last value.
  void add_source(const TensorMeta& meta);
  // The call that was taken last is now the graph's last node.
  void add_node(const Graph& graph);

 private:
  const Symbols* symbols_ = nullptr;
  std::vector<SymbolSizes> sizes_;
  std::vector<std::vector<TensorMeta>> metas_;    // by sizes and value
  std::vector<std::vector<ResultMeta>> results_;  // by sizes: of the call that was taken last
};

}  // namespace parallax
