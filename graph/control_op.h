// ControlOp: an op that runs subgraphs: a branch, a loop, a scan, a map, as torch's higher-order ops of these names do,
// or an operation that a user registers, whose reference its subgraph is.
//
// Every call has a record of its own, since what it means is its subgraphs. A record is an Op like any other: its
// parameters are the tensors of the call, one each, and say which of them a subgraph writes; its results are inferred
// from the subgraphs and lie in memory of their own. So what walks over nodes needs no case for it, and only what runs
// or prints a call asks as_control(). A record and its subgraphs never change; graphs share and keep them.
//
// The results of a custom operation may be its operands or views of them, and its operands may share memory: what runs
// a graph puts its calls in place of it first (graph/inline_custom.h).
//
//   cond        predicate, operands             the branch that the predicate (one bool) says, on the operands
//   while_loop  carries, closures               body's results are the next carries while condition's one bool is true
//   scan        carries, slices of, closures    combine's first results are the next carries, the rest is stacked
//   map         slices of, closures             body's results, stacked
//   custom      operands                        the subgraph's results
#pragma once

#include <bitset>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace parallax {

enum class ControlKind : uint8_t { Cond, WhileLoop, Scan, Map, Custom };
inline constexpr std::size_t control_kind_count = 5;
// "cond", "while_loop", "scan", "map", "custom".
std::string_view name(ControlKind kind);

// Kinds of calls that run subgraphs, by ControlKind.
using ControlKinds = std::bitset<control_kind_count>;
constexpr std::size_t place_of(ControlKind kind) { return static_cast<std::size_t>(kind); }
std::vector<std::string> names_of(ControlKinds kinds);
// Branches and loops: all but custom operations.
inline constexpr ControlKinds branches_and_loops = (1U << (control_kind_count - 1)) - 1;

// A graph without state: its sources are inputs with storages of their own. Called by position.
struct Subgraph {
  std::string name;
  std::shared_ptr<const Graph> graph;
  // Places in what is returned that hold None, in order: the graph's outputs are what is left. Of custom operations.
  std::vector<std::size_t> nones = {};
};

// More steps than that are refused: a case is to be run many times.
inline constexpr int64_t most_loop_steps = 1000;

struct ControlParts {
  ControlKind kind = ControlKind::Cond;
  std::vector<Subgraph> subgraphs;  // cond: then, else; while_loop: condition, body; else one
  std::size_t carries = 0;
  std::size_t scanned = 0;              // operands that go in slice by slice
  std::size_t closures = 0;             // the operands of a cond and of a custom operation, too
  int64_t max_steps = most_loop_steps;  // of a while_loop
  int64_t workspace = 0;                // bytes that a compiled call takes to run, which are its last result
};

struct ControlOp : Op, std::enable_shared_from_this<ControlOp> {
  virtual ~ControlOp() = default;

  ControlParts parts;
  // By result: parameters that it may share memory with in eager, which hands on what a subgraph returns.
  std::vector<std::vector<std::size_t>> may_share;
  // Pairs of results that may share memory in eager.
  std::vector<std::pair<std::size_t, std::size_t>> twins;

  ControlKind kind() const { return parts.kind; }
  const Graph& subgraph(std::size_t k) const { return *parts.subgraphs[k].graph; }
  // The parameter that is the first operand of the subgraphs: all after the predicate of a cond.
  std::size_t first_operand() const { return parts.kind == ControlKind::Cond ? 1 : 0; }
  std::size_t operands() const { return parts.carries + parts.scanned + parts.closures; }
  // Where result k stands in what the call returns, None included.
  std::size_t place_of(std::size_t k) const;
};

// Checks that the subgraphs fit each other and makes the record. Errors carry the pointer of the part at fault below
// the node's, as the case file has it.
Result<std::shared_ptr<const ControlOp>> make_control_op(ControlParts parts);
// The same for a record that holds more.
Result<void> define_control_op(ControlOp& op, ControlParts parts);

// The record as what it is, or null for any other op.
const ControlOp* as_control(const Op& op);

// The first node that runs subgraphs, or null.
const Node* find_control(const Graph& graph);
// The first call of a custom operation, in the graph or in a subgraph of it, or null.
const Node* find_custom(const Graph& graph);
// The kinds of such calls in the graph and in its subgraphs.
ControlKinds control_kinds(const Graph& graph);

// Where result k stands in the list that a call of the op returns, which may hold None.
std::size_t place_in_list(const Op& op, std::size_t k);

// How many steps a scan or a map takes on these operands.
int64_t steps_of(const Call& call);

// One slice of a tensor along its first dim.
Layout slice_of(const Layout& layout, int64_t step);

}  // namespace parallax
