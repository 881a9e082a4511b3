// F53: what one branch writes into an operand is written back whichever branch is taken (PyTorch #198031, #197829: a
// mutation is moved out of where it belongs).
#include <algorithm>

#include "compiler/faults.h"
#include "compiler/rewriter.h"
#include "graph/control_op.h"

namespace parallax {
namespace {

// The outputs of `other` behind those of `graph`, computed on the same inputs; the states are the last `states` ones.
Result<Graph> with_states_of(const Graph& graph, const Graph& other, std::size_t states) {
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes) TRY_VOID(rewriter.copy(node));
  std::vector<ValueId> values(other.metas.size());
  GraphBuilder& builder = rewriter.builder();
  for (std::size_t i = 0; i < other.sources.size(); ++i)
    values[other.sources[i].value.index] = rewriter[graph.sources[i].value];
  for (const Node& node : other.nodes) {
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = values[value.index]; });
    }
    TRY(const std::vector<ValueId> results,
        builder.add_node(*node.op, std::move(arguments), rewriter.fresh_name(node.name + "_other")));
    for (std::size_t k = 0; k < results.size(); ++k) values[node.results[k].index] = results[k];
  }
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < states; ++i) {
    const ValueId state = other.outputs[other.outputs.size() - states + i];
    outputs.push_back(builder.current(values[state.index]));
  }
  Graph made = rewriter.finish();
  std::ranges::copy(outputs, made.outputs.end() - static_cast<std::ptrdiff_t>(states));
  return made;
}

Result<Graph> return_writes_of_either_branch(const Graph& graph, const PassOptions&) {
  TRY(const Graph sound, return_writes(graph));
  Rewriter rewriter(sound);
  for (std::size_t n = 0; n < sound.nodes.size(); ++n) {
    const Node& node = sound.nodes[n];
    const ControlOp* op = as_control(*node.op);
    const auto before = std::ranges::find(graph.nodes, node.name, &Node::name);
    const std::size_t states = before == graph.nodes.end() ? 0 : node.results.size() - before->results.size();
    if (!op || op->kind() != ControlKind::Cond || states == 0) {
      TRY_VOID(rewriter.copy(node));
      continue;
    }
    ControlParts parts = op->parts;
    TRY(Graph other, with_states_of(op->subgraph(1), op->subgraph(0), states));
    parts.subgraphs[1].graph = std::make_shared<const Graph>(std::move(other));
    TRY(const std::shared_ptr<const ControlOp> made, make_control_op(std::move(parts)));
    Node edited = node;
    edited.op = made.get();
    TRY_VOID(rewriter.copy(edited));
  }
  return rewriter.finish();
}

}  // namespace

const Fault state_of_the_other_branch = {
    "F53",
    "state of the branch not taken",
    "compiler/passes/return_writes.cpp",
    "an operand that the first branch writes is written in the second one too",
    "pytorch#198031, pytorch#197829",
    [](CompilerParts& parts) { parts.replace_pass("return_writes", return_writes_of_either_branch); },
};

}  // namespace parallax
