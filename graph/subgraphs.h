// The subgraphs that a graph runs, and theirs, with a name for each that no other has.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/control_op.h"

namespace parallax {

class SubgraphNames {
 public:
  explicit SubgraphNames(const Graph& graph) { gather(graph); }

  // In the order in which a reader meets them, the callers first.
  const std::vector<const Graph*>& all() const { return order_; }
  const std::string& of(const Graph& subgraph) const { return names_.at(&subgraph); }
  // Of these, what branches and loops run, and the references of custom operations.
  const std::vector<const Graph*>& run() const { return run_; }
  const std::vector<Subgraph>& operations() const { return operations_; }
  // What a subgraph returns, with values that are invalid in place of None.
  std::vector<ValueId> returned(const Graph& subgraph) const;

 private:
  void gather(const Graph& graph);

  std::vector<const Graph*> order_;
  std::vector<const Graph*> run_;
  std::vector<Subgraph> operations_;
  std::unordered_map<const Graph*, std::string> names_;
  std::unordered_map<const Graph*, std::vector<std::size_t>> nones_;  // of those that return some
};

// The parts of a call of subgraphs in the order in which they are written: lists of operands behind the subgraphs.
struct WrittenControl {
  std::vector<ValueId> predicate;              // none or one
  std::vector<std::vector<ValueId>> operands;  // the lists; closures are left out where there are none
};
WrittenControl written_control(const ControlOp& op, const Node& node);

}  // namespace parallax
