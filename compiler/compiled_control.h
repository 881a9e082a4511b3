// Compiled control flow: a call of subgraphs whose programs are made.
//
// Each subgraph is compiled as a graph of its own, with a plan of its own. The call runs them in a workspace, which is
// one more result of the node: so the caller's plan gives it bytes for as long as the node runs, whatever else lives
// then, and all checks of that plan hold for it too. Programs of one call never run at once and share the workspace
// from its beginning. A loop's carries lie in the node's results from the first step on.
#pragma once

#include "compiler/compile.h"
#include "compiler/control_rules.h"
#include "graph/control_op.h"

namespace parallax {

struct CompiledControlOp : ControlOp {
  std::vector<Program> programs;  // by subgraph
  std::vector<bool> in_place;     // by carry: the body writes the next one where this one lies
  ControlRules rules;
};

// The record as what it is, or null for any other op.
const CompiledControlOp* as_compiled(const Op& op);

// Where a subgraph's program finds its memory in the workspace.
struct SubgraphMemory {
  int64_t returned = 0;  // where that arena begins
  int64_t backend = 0;
  int64_t end = 0;
};
SubgraphMemory memory_of(const Program& program);

// The graph with every call of subgraphs compiled. An error names what a subgraph holds that nobody runs.
Result<Graph> compile_subgraphs(const Graph& graph, const CompileOptions& options);

// Calls `visit(program)` for the programs of a program's subgraphs, and for theirs.
template <class Visit>
void for_each_subprogram(const Program& program, Visit&& visit) {
  for (const Node& node : program.graph.nodes) {
    const CompiledControlOp* op = as_compiled(*node.op);
    if (!op) continue;
    for (std::size_t k = 0; k < op->programs.size(); ++k) {
      visit(*op, k, op->programs[k]);
      for_each_subprogram(op->programs[k], visit);
    }
  }
}

// What the plan checker is asked of a subgraph's program. A carry whose place the next one takes is made by a step
// before all others, and nobody looks at it after the body has run; the two lie behind the memory of the body's
// results.
struct CheckedPlan {
  Schedule schedule;
  Plan plan;
};
CheckedPlan checked_plan(const CompiledControlOp& op, std::size_t subgraph);

}  // namespace parallax
