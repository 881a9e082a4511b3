// Return writes: what subgraphs write into their operands becomes results of the node.
//
// A subgraph takes a clone of such an operand, writes that, and returns it beside its own results; behind the node the
// operand is overwritten with what came back. In a loop or a scan, where the operand is a closure that every step sees
// as the one before left it, it becomes a carry. What a branch does not write it returns as it was.
#include <fmt/format.h>

#include <algorithm>

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
    const Change change = change_of(op);
    TRY(const std::shared_ptr<const ControlOp> made, returning(change));
    const std::size_t first = op.first_operand();
    const std::vector<Argument> old = rewriter_.mapped_arguments(node);
    std::vector<Argument> arguments(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(first));
    for (const std::size_t i : change.order) arguments.push_back(old[first + i]);
    const std::size_t place = op.kind() == ControlKind::Cond ? node.results.size() : op.parts.carries;
    TRY(const std::vector<ValueId> states, add(node, *made, std::move(arguments), place, change.written.size()));
    for (std::size_t i = 0; i < states.size(); ++i) {
      TRY_VOID(rewriter_.builder().call("aten.copy_.default", {old[first + change.written[i]], states[i]},
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
