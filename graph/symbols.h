// Symbols: sizes of inputs that change from run to run, as a dynamic batch does.
//
// A graph is always concrete: it has the sizes of one run. What else it may be run at stands beside it: symbols with
// their ranges, which dims of its inputs hang on them, and which numbers in its calls. A graph at other sizes is the
// same graph with those numbers changed, each of its values inferred anew. Other arguments stay: one that spells a size
// out may not infer there.
#pragma once

#include <optional>
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

// A number that hangs on a symbol: factor * symbol + offset, "2*s+1" or, where it is the symbol itself, "s".
struct Relation {
  std::size_t symbol = 0;  // place in Symbols::list
  int64_t factor = 1;      // at least 1
  int64_t offset = 0;

  int64_t at(int64_t size) const { return factor * size + offset; }
  // The symbol's size where the number is that; nothing where there is none.
  std::optional<int64_t> symbol_size(int64_t number) const;

  friend bool operator==(const Relation&, const Relation&) = default;
};

// One dim of an input that hangs on a symbol. Dims of one symbol are equal or keep their relation. The input is
// row-major at every size.
struct SymbolicDim {
  std::size_t source = 0;  // place in graph.sources
  int dim = 0;
  Relation of = {};

  friend bool operator==(const SymbolicDim&, const SymbolicDim&) = default;
};

// One number in a call's arguments that hangs on a symbol, as a size in the shape of a view does.
struct SymbolicNumber {
  std::size_t node = 0;      // place in graph.nodes
  std::size_t argument = 0;  // place among its arguments
  std::size_t place = 0;     // in a list; 0 for a number that stands alone
  Relation of = {};

  friend bool operator==(const SymbolicNumber&, const SymbolicNumber&) = default;
};

// What a run's symbols are, by their place in the list.
using SymbolSizes = std::vector<int64_t>;

struct Symbols {
  std::vector<Symbol> list;
  std::vector<SymbolicDim> dims;  // at least one for each symbol
  std::vector<SymbolicNumber> numbers;

  bool empty() const { return list.empty(); }
  // Every symbol at its bound.
  SymbolSizes bound() const;
  // What a dim of a source is, or null for one that never changes.
  const SymbolicDim* at(std::size_t source, int dim) const;
  // "s" or "2*s+1".
  std::string text(const Relation& relation) const;

  friend bool operator==(const Symbols&, const Symbols&) = default;
};

// The sizes that the graph itself has.
SymbolSizes sizes_of(const Graph& graph, const Symbols& symbols);
// Whether the dims of the graph's inputs and the numbers in its calls are what its symbols make of them at these sizes.
bool has_sizes(const Graph& graph, const Symbols& symbols, const SymbolSizes& sizes);
// "B=4, S=2".
std::string text(const Symbols& symbols, const SymbolSizes& sizes);

// An integer in an argument: that of a list, or one that stands alone; null where there is none.
int64_t* integer_in(Argument& argument, std::size_t place);

// The graph at other sizes: the same values, nodes and storages under the same ids. Refuses a size outside its range
// and, with the node's name, a node that does not infer there or gives other results: another number or dtype, or
// memory of its own where it was a view.
Result<Graph> at_sizes(const Graph& graph, const Symbols& symbols, const SymbolSizes& sizes);

}  // namespace parallax
