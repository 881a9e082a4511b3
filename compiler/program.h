// Program: what a compilation gives and a backend runs: partitions, called one after the other, over the last graph.
#pragma once

#include <vector>

#include "compiler/integer_rules.h"
#include "graph/symbols.h"
#include "planner/joins.h"
#include "planner/schedule.h"

namespace parallax {

// Nodes [first, end) of a program's graph, which stand in the order in which they run.
struct NodeRange {
  std::size_t first = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - first; }
  bool holds(std::size_t node) const { return first <= node && node < end; }
  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

// Nodes that one backend takes as a whole, as a delegate takes a sub-graph, and the call of it. What goes in and comes
// out is bound by position: argument i is the partition's input i, result i its output i.
struct Partition {
  std::size_t backend = 0;  // in the compilation's list
  NodeRange nodes;
  std::vector<ValueId> inputs;   // what the nodes name and others made
  std::vector<ValueId> outputs;  // what the nodes made, views of inputs included, and others name or the caller gets
  // By output: the input that it is a view of and that its memory is taken from; -1 for memory of the partition's own.
  std::vector<int> passed;
  std::vector<DType> output_types;  // by output: what it crosses the boundary as
  // Of the call.
  std::vector<ValueId> arguments;
  std::vector<ValueId> results;
};

// Nodes of one partition that run as one step: in one loop over blocks of elements, or because their backend runs the
// partition whole. `inner` values have no memory but the block's or the backend's own.
struct FusedGroup {
  NodeRange nodes;
  std::vector<ValueId> inner;
};

// A number in a node's arguments that hangs on the sizes: constant + the sum of slope * size over the symbols.
struct VaryingNumber {
  ValueId result;  // the first of the node, which itself may move
  std::size_t argument = 0;
  std::size_t place = 0;  // in a list of numbers
  double constant = 0;
  std::vector<double> slopes;  // by symbol

  double at(const SymbolSizes& sizes) const;
};

struct Program {
  Graph graph;
  std::vector<Partition> partitions;  // in the order in which they run; together all nodes
  std::vector<FusedGroup> groups;     // in order; a loop has at least two nodes
  std::vector<Join> joins;            // operands of concatenations that are made in their places
  Plan plan;
  Symbols symbols;                     // which sizes may change (compiler/resize.h)
  std::vector<VaryingNumber> varying;  // and what changes with them beside shapes
  // Where a symbol is smaller, the passes make another graph: a dim of size 1 broadcasts, and nothing is in one of 0.
  int64_t least_size = 0;
  std::vector<Layout> told = {};  // by output: what the caller is told; empty: what it is
  IntegerRules integers = {};     // what the kernels of its fused calls go by
};

// What the program's steps read and write. A step is a node; those of a fused group, whose reads and writes take turns,
// all happen at its last node. The parts of a join are the whole's bytes, which begin with the first of them.
Schedule schedule_of(const Program& program);

}  // namespace parallax
