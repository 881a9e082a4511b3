// Dead code: a node stays if it writes memory, or if a result of it reaches an output or a node that stays.
#include "compiler/passes/drop_dead_nodes.h"

#include <algorithm>

#include "compiler/passes.h"
#include "compiler/rewriter.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

bool writes(const Op& op) { return op.writes(); }

// By node: whether an output hangs on it, or its effect stays.
std::vector<bool> live_nodes(const Graph& graph, bool (*has_effects)(const Op& op)) {
  std::vector<bool> live_values(graph.metas.size(), false);
  std::vector<bool> live_nodes(graph.nodes.size(), false);
  for (ValueId output : graph.outputs) live_values[output.index] = true;
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    bool live = has_effects(*node.op) && taken_unless_dropped<"effects_dropped">();
    for (ValueId result : node.results) live = live || live_values[result.index];
    if (!live) continue;
    live_nodes[n] = true;
    for (const Argument& argument : node.arguments) {
      for_each_value(argument, [&](ValueId value) { live_values[value.index] = true; });
    }
  }
  return live_nodes;
}

}  // namespace

Result<Graph> drop_dead_nodes(const Graph& graph) { return drop_nodes_unless(graph, writes); }

bool holds_dead_nodes(const Graph& graph) {
  const std::vector<bool> live = live_nodes(graph, writes);
  return std::ranges::find(live, false) != live.end();
}

Result<Graph> drop_nodes_unless(const Graph& graph, bool (*has_effects)(const Op& op)) {
  const std::vector<bool> live = live_nodes(graph, has_effects);
  Rewriter rewriter(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    if (live[n]) TRY_VOID(rewriter.copy(graph.nodes[n]));
  }
  return rewriter.finish();
}

}  // namespace parallax
