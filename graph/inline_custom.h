// Inlining of custom operations: their calls put in place of them, on the caller's own tensors. What it gives is what a
// custom operation means: a write lands in the operand's memory, whoever else looks at it.
#pragma once

#include <memory>
#include <vector>

#include "graph/builder.h"
#include "graph/control_op.h"

namespace parallax {

// Adds the calls of a custom operation to a graph: its results. An error where its operands share memory in a way that
// one of its calls refuses.
Result<std::vector<ValueId>> append_calls_of(GraphBuilder& builder, const ControlOp& op,
                                             const std::vector<ValueId>& operands);

// A graph without custom operations, in its subgraphs neither.
struct InlinedGraph {
  Graph graph;
  std::vector<ValueId> values;  // by value of the graph that it was made of
  // By node: the caller's, and whether it is the last one of it. Calls of a custom operation are `inner`.
  struct Origin {
    NodeId node;
    bool last = true;
    bool inner = false;
  };
  std::vector<Origin> origins;
};

InlinedGraph inline_custom(const Graph& graph);

// The same, or null where there is nothing to inline.
std::shared_ptr<const InlinedGraph> inlined_if_custom(const Graph& graph);

}  // namespace parallax
