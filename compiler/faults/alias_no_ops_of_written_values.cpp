// F07: before functionalize, a call that changes nothing (x * 1, a clone) is replaced by its operand, although that is
// written later (PyTorch #174938, #127821, tinygrad #17074).
#include <algorithm>

#include "compiler/faults.h"
#include "compiler/simplify_rules.h"
#include "ops/registry.h"

namespace parallax {
namespace {

std::optional<ValueId> unchanged_operand(Matcher& matcher, Replacement& call) {
  static const Op& clone = op_named("aten.clone.default");
  const auto operand = call.op == &clone ? std::optional(std::get<ValueId>(call.argument(arg::self)))
                                         : copied_operand(matcher, *call.op, call.arguments);
  if (!operand || !matcher.makes_the_same(call_of("aten.clone.default", {*operand}), *call.op, call.arguments))
    return std::nullopt;
  return operand;
}

Result<Graph> alias_no_ops(const Graph& graph, const PassOptions&) {
  Rewriter rewriter(graph);
  Matcher matcher(rewriter);
  for (const Node& node : graph.nodes) {
    Replacement call = {node.op, rewriter.mapped_arguments(node)};
    if (const auto operand = unchanged_operand(matcher, call)) call = call_of("aten.alias.default", {*operand});
    TRY_VOID(matcher.add(node, call));
  }
  return rewriter.finish();
}

}  // namespace

const Fault alias_no_ops_of_written_values = {
    "F07",
    "no-op removal ignores mutation",
    "compiler/passes/simplify.cpp",
    "x * 1 or clone(x) becomes x itself, although x is written before the result is read",
    "pytorch#174938, pytorch#127821, tinygrad#17074",
    [](CompilerParts& parts) { parts.replace_pass_and_run_it_first("simplify", alias_no_ops); },
};

}  // namespace parallax
