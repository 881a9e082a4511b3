// Simplify: each call as simple as the rules make it (simplify_rules.h), and aliases of our own values as these values.
#include "compiler/passes.h"
#include "compiler/simplify_rules.h"
#include "ops/registry.h"

namespace parallax {
namespace {

// Whether the value is a caller's tensor object, whose sizes a write of metadata at the end may change.
bool is_source(Matcher& matcher, ValueId value) {
  return matcher.source(matcher.graph().objects[value.index]) != nullptr;
}

}  // namespace

Result<Graph> simplify_with(const Graph& graph, const Algebra& algebra) {
  static const Op& alias = op_named("aten.alias.default");
  Rewriter rewriter(graph);
  Matcher matcher(rewriter);
  for (const Node& node : graph.nodes) {
    Replacement call = {node.op, rewriter.mapped_arguments(node)};
    while (auto found = simpler(matcher, *call.op, call.arguments, algebra)) call = *std::move(found);
    const auto* viewed = call.op == &alias ? std::get_if<ValueId>(&call.argument(arg::self)) : nullptr;
    if (viewed && !is_source(matcher, *viewed)) {
      rewriter.map(node.results.front(), *viewed);
    } else {
      TRY_VOID(matcher.add(node, std::move(call)));
    }
  }
  return rewriter.finish();
}

Result<Graph> simplify(const Graph& graph) { return simplify_with(graph, exact_algebra); }

}  // namespace parallax
