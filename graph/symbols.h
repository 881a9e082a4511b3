// Symbols: sizes of inputs that change from run to run, as a dynamic batch does.
//
// A graph is always concrete: it has the sizes of one run. What else it may be run at stands beside it: symbols with
// their ranges, and which dims of its inputs they are. A graph at other sizes is the same graph, each of its values
// inferred anew, and keeps its arguments: one that spells a size out may not infer there.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

struct Symbol {
  std::string name;
  int64_t low = 0;
  int64_t high = 0;  // the bound: what a compiler that plans for all sizes plans for

  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// One dim of an input that is a symbol. The input is row-major at every size.
struct SymbolicDim {
  std::size_t source = 0;  // place in graph.sources
  int dim = 0;
  std::size_t symbol = 0;  // place in Symbols::list

  friend bool operator==(const SymbolicDim&, const SymbolicDim&) = default;
};

// What a run's symbols are, by their place in the list.
using SymbolSizes = std::vector<int64_t>;

struct Symbols {
  std::vector<Symbol> list;
  std::vector<SymbolicDim> dims;  // at least one for each symbol

  bool empty() const { return list.empty(); }
  // Every symbol at its bound.
  SymbolSizes bound() const;
  // The symbol that a dim of a source is, or nothing.
  const Symbol* at(std::size_t source, int dim) const;

  friend bool operator==(const Symbols&, const Symbols&) = default;
};

// The sizes that the graph itself has.
SymbolSizes sizes_of(const Graph& graph, const Symbols& symbols);
// "B=4, S=2".
std::string text(const Symbols& symbols, const SymbolSizes& sizes);

// The graph at other sizes: the same values, nodes and storages under the same ids. Refuses a size outside its range
// and, with the node's name, a node that does not infer there or gives other results: another number or dtype, or
// memory of its own where it was a view.
Result<Graph> at_sizes(const Graph& graph, const Symbols& symbols, const SymbolSizes& sizes);

}  // namespace parallax
