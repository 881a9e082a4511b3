// Return writes: what subgraphs write into their operands becomes results of the node.
//
// A subgraph takes a clone of such an operand, writes that, and returns it beside its own results; behind the node the
// operand is overwritten with what came back. In a loop or a scan, where the operand is a closure that every step sees
// as the one before left it, it becomes a carry. What a branch does not write it returns as it was.
//
// A condition returns nothing but its answer. Where it writes, it is asked in front of the loop and at the end of the
// body, and its answer is a carry.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "graph/control_op.h"

namespace parallax {
namespace {

bool writes(const ControlOp& op) { return op.writes(); }

// A call after the change: which operands were written, by their place among the operands of the subgraphs.
struct Change {
  const ControlOp& op;
  std::vector<std::size_t> written;
  std::vector<std::size_t> order;  // of the new operands, by the old ones
};

Change change_of(const ControlOp& op) {
  Change change{op, {}, {}};
  const std::size_t first = op.first_operand();
  const bool loops = op.kind() != ControlKind::Cond;
  for (std::size_t i = 0; i < op.operands(); ++i) {
    if (op.schema.parameters[first + i].written) change.written.push_back(i);
  }
  const auto is_written = [&](std::size_t i) { return std::ranges::find(change.written, i) != change.written.end(); };
  for (std::size_t i = 0; i < op.operands(); ++i) {
    if (i == op.parts.carries && loops)
      change.order.insert(change.order.end(), change.written.begin(), change.written.end());
    if (!loops || !is_written(i)) change.order.push_back(i);
  }
  return change;
}

// What a subgraph becomes: its inputs in the new order, its outputs with what it writes among them.
Result<Graph> returning(const Graph& graph, const Change& change, bool returns) {
  Graph reordered = graph;
  for (std::size_t i = 0; i < change.order.size(); ++i) reordered.sources[i] = graph.sources[change.order[i]];
  Rewriter rewriter(reordered);
  std::vector<ValueId> written;
  for (const std::size_t i : change.written) {
    const ValueId source = graph.sources[i].value;
    if (!is_dense(graph.meta(source).layout)) {
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "",
                fmt::format("'{}', which is written, has gaps between its elements", graph.name(source))});
    }
    if (!returns) continue;
    TRY(const ValueId clone, rewriter.builder().call("aten.clone.default", {rewriter[source]},
                                                     rewriter.fresh_name(graph.name(source) + "_own")));
    rewriter.map(source, clone);
    written.push_back(clone);
  }
  for (const Node& node : graph.nodes) TRY_VOID(rewriter.copy(node));
  Graph made = rewriter.finish();
  if (!returns) return made;
  const std::size_t place = change.op.kind() == ControlKind::Cond ? made.outputs.size() : change.op.parts.carries;
  std::vector<ValueId> newest(made.metas.size());
  for (std::size_t v = 0; v < made.metas.size(); ++v) newest[made.objects[v].index] = ValueId(v);
  std::vector<ValueId> states;
  for (const ValueId clone : written) states.push_back(newest[clone.index]);
  made.outputs.insert(made.outputs.begin() + static_cast<std::ptrdiff_t>(place), states.begin(), states.end());
  return made;
}

Result<std::shared_ptr<const ControlOp>> returning(const Change& change) {
  ControlParts parts = change.op.parts;
  const bool loops = parts.kind != ControlKind::Cond;
  for (std::size_t k = 0; k < parts.subgraphs.size(); ++k) {
    const bool is_condition = parts.kind == ControlKind::WhileLoop && k == 0;
    TRY(const Graph inner, return_writes(*parts.subgraphs[k].graph));
    TRY(Graph made, returning(inner, change, !is_condition));
    parts.subgraphs[k].graph = std::make_shared<const Graph>(std::move(made));
  }
  if (loops) {
    parts.carries += change.written.size();
    parts.closures -= change.written.size();
  }
  return make_control_op(std::move(parts));
}

using FreshName = std::function<std::string(std::string_view stem)>;

// Adds the calls of a subgraph on values that are there; what its outputs are.
Result<std::vector<ValueId>> add_calls(GraphBuilder& builder, const FreshName& fresh_name, const Graph& subgraph,
                                       const std::vector<ValueId>& operands) {
  std::vector<ValueId> mapped(subgraph.metas.size());
  for (std::size_t i = 0; i < operands.size(); ++i) mapped[subgraph.sources[i].value.index] = operands[i];
  for (const Node& node : subgraph.nodes) {
    std::vector<Argument> arguments = node.arguments;
    for (Argument& argument : arguments) {
      for_each_value(argument, [&](ValueId& value) { value = builder.current(mapped[value.index]); });
    }
    std::vector<std::string> names;
    for (std::size_t k = 0; node.op->schema.has_list_result() && k < node.results.size(); ++k)
      names.push_back(fresh_name("asked"));
    TRY(const std::vector<ValueId> results,
        builder.add_node(*node.op, std::move(arguments), fresh_name("asked"), std::move(names)));
    for (std::size_t k = 0; k < results.size(); ++k) mapped[node.results[k].index] = results[k];
  }
  std::vector<ValueId> outputs;
  for (const ValueId output : subgraph.outputs) outputs.push_back(builder.current(mapped[output.index]));
  return outputs;
}

bool condition_writes(const ControlOp& op) {
  if (op.kind() != ControlKind::WhileLoop) return false;
  const Graph& condition = op.subgraph(0);
  const std::vector<bool> written = written_storages(condition);
  return std::ranges::any_of(condition.sources,
                             [&](const Source& source) { return written[condition.meta(source.value).storage.index]; });
}

// The inputs of a loop's subgraph with one more behind the carries, the answer that the loop goes on by.
struct LoopInputs {
  std::vector<ValueId> own;
  ValueId answer;
};

Result<LoopInputs> add_inputs(GraphBuilder& builder, const Graph& subgraph, std::size_t carries) {
  LoopInputs inputs;
  for (std::size_t i = 0; i <= subgraph.sources.size(); ++i) {
    if (i == carries) {
      TRY(inputs.answer, builder.add_source(SourceKind::Input, "", DType::Bool, contiguous_layout({})));
    }
    if (i == subgraph.sources.size()) break;
    const TensorMeta& meta = subgraph.meta(subgraph.sources[i].value);
    const Layout layout{meta.layout.sizes, meta.layout.strides, 0};
    TRY(const ValueId input, builder.add_source(SourceKind::Input, "", meta.dtype, layout));
    inputs.own.push_back(input);
  }
  return inputs;
}

// A loop whose body asks the condition about what it has made, for the next step.
Result<std::shared_ptr<const ControlOp>> asking_in_the_body(const ControlOp& op, const Graph& condition) {
  ControlParts parts = op.parts;
  GraphBuilder answered;
  TRY(const LoopInputs given, add_inputs(answered, condition, parts.carries));
  answered.add_output(given.answer);
  const Graph& body = op.subgraph(1);
  GraphBuilder builder;
  const FreshName fresh_name = [&](std::string_view stem) { return builder.fresh_name(stem); };
  TRY(const LoopInputs inputs, add_inputs(builder, body, parts.carries));
  TRY(const std::vector<ValueId> next, add_calls(builder, fresh_name, body, inputs.own));
  std::vector<ValueId> asked = inputs.own;
  std::ranges::copy(next, asked.begin());
  TRY(const std::vector<ValueId> answer, add_calls(builder, fresh_name, condition, asked));
  for (const ValueId carry : next) builder.add_output(carry);
  builder.add_output(answer.front());
  parts.subgraphs[0].graph = std::make_shared<const Graph>(answered.take());
  parts.subgraphs[1].graph = std::make_shared<const Graph>(builder.take());
  ++parts.carries;
  return make_control_op(std::move(parts));
}

// A node whose subgraphs write nothing of it, but within which there are such nodes.
Result<std::shared_ptr<const ControlOp>> rewritten_within(const ControlOp& op) {
  ControlParts parts = op.parts;
  for (Subgraph& subgraph : parts.subgraphs) {
    TRY(Graph made, return_writes(*subgraph.graph));
    subgraph.graph = std::make_shared<const Graph>(std::move(made));
  }
  return make_control_op(std::move(parts));
}

bool holds_writes(const ControlOp& op) {
  return writes(op) || std::ranges::any_of(op.parts.subgraphs, [](const Subgraph& subgraph) {
           return holds_writing_subgraphs(*subgraph.graph);
         });
}

class Returner {
 public:
  explicit Returner(const Graph& graph) : graph_(graph), rewriter_(graph) {}

  Result<Graph> run() {
    for (const Node& node : graph_.nodes) {
      const ControlOp* op = as_control(*node.op);
      if (!op || !holds_writes(*op)) {
        TRY_VOID(rewriter_.copy(node));
      } else if (!writes(*op)) {
        TRY(const std::shared_ptr<const ControlOp> made, rewritten_within(*op));
        TRY_VOID(add(node, *made, rewriter_.mapped_arguments(node), 0, 0));
      } else {
        TRY_VOID(write(node, *op));
      }
    }
    return rewriter_.finish();
  }

 private:
  // Adds the new call. So many results from `place` on are none of the old node's; they are returned.
  Result<std::vector<ValueId>> add(const Node& node, const ControlOp& made, std::vector<Argument> arguments,
                                   std::size_t place, std::size_t extra) {
    std::vector<std::string> names;
    for (const ValueId result : node.results) names.push_back(graph_.name(result));
    for (std::size_t i = 0; i < extra; ++i)
      names.insert(names.begin() + static_cast<std::ptrdiff_t>(place + i),
                   rewriter_.fresh_name(fmt::format("{}_state{}", node.name, i)));
    TRY(const std::vector<ValueId> results,
        rewriter_.builder().add_node(made, std::move(arguments), node.name, std::move(names)));
    std::vector<ValueId> states;
    for (std::size_t k = 0, old = 0; k < results.size(); ++k) {
      if (k >= place && k < place + extra) {
        states.push_back(results[k]);
      } else {
        rewriter_.map(node.results[old++], results[k]);
      }
    }
    return states;
  }

  Result<void> write(const Node& node, const ControlOp& op) {
    std::vector<Argument> old = rewriter_.mapped_arguments(node);
    if (!condition_writes(op)) return write(node, op, old, 0);
    TRY(const Graph condition, return_writes(op.subgraph(0)));
    TRY(const std::shared_ptr<const ControlOp> asking, asking_in_the_body(op, condition));
    std::vector<ValueId> operands;
    for (const Argument& argument : old) operands.push_back(std::get<ValueId>(argument));
    const FreshName fresh_name = [&](std::string_view stem) { return rewriter_.fresh_name(stem); };
    TRY(const std::vector<ValueId> answer, add_calls(rewriter_.builder(), fresh_name, condition, operands));
    old.insert(old.begin() + static_cast<std::ptrdiff_t>(op.parts.carries), answer.front());
    return write(node, *asking, old, 1);
  }

  // The node as a call of that op on these operands; its last carries, so many, are none of the node's.
  Result<void> write(const Node& node, const ControlOp& op, const std::vector<Argument>& old, std::size_t more) {
    const Change change = change_of(op);
    TRY(const std::shared_ptr<const ControlOp> made, returning(change));
    const std::size_t first = op.first_operand();
    std::vector<Argument> arguments(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(first));
    for (const std::size_t i : change.order) arguments.push_back(old[first + i]);
    const std::size_t place = op.kind() == ControlKind::Cond ? node.results.size() : op.parts.carries - more;
    const std::size_t count = change.written.size();
    TRY(const std::vector<ValueId> states, add(node, *made, std::move(arguments), place, more + count));
    for (std::size_t i = 0; i < count; ++i) {
      TRY_VOID(rewriter_.builder().call("aten.copy_.default", {old[first + change.written[i]], states[more + i]},
                                        rewriter_.fresh_name(node.name + "_written")));
    }
    return {};
  }

  const Graph& graph_;
  Rewriter rewriter_;
};

}  // namespace

Result<Graph> return_writes(const Graph& graph) { return Returner(graph).run(); }

bool holds_writing_subgraphs(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const Node& node) {
    const ControlOp* op = as_control(*node.op);
    return op && holds_writes(*op);
  });
}

}  // namespace parallax
