#include "fuzz/generate/control_structures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "fuzz/generate/generate.h"
#include "graph/written_operands.h"

namespace parallax {
namespace {

// The node that makes a value, or null for a source.
const Node* maker_of(const Graph& graph, ValueId value) {
  for (const Node& node : graph.nodes) {
    if (std::ranges::find(node.results, value) != node.results.end()) return &node;
  }
  return nullptr;
}

// What the predicate of a branch hangs on: the op before the comparison with a number, or the predicate's own.
std::string origin_of_predicate(const Graph& graph, const Node& branch) {
  const Node* asked = maker_of(graph, std::get<ValueId>(branch.arguments.front()));
  if (!asked) return "source";
  const std::string op(asked->op->name);
  if (op != "aten.gt.Scalar" && op != "aten.lt.Scalar" && op != "aten.eq.Scalar") return op;
  const Node* compared = maker_of(graph, std::get<ValueId>(asked->arguments.front()));
  return compared ? compared->op->name : "source";
}

bool writes_to_a_closure(const Node& node) {
  bool writes = false;
  for_each_written(*node.op, node.arguments, [&](ValueId) { writes = true; });
  return writes;
}

TEST(ControlProfile, DrawsPredicatesOfDataSizesAndTurnsAndCachesInScans) {
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Choices choices(seed, 0);
    const Case test = generate(choices, {.profile = GenerateProfile::Control});
    int branches = 0;
    for (const Node& node : test.graph.nodes) {
      const ControlOp* control = as_control(*node.op);
      if (!control) continue;
      if (control->kind() == ControlKind::Cond) {
        const std::string origin = origin_of_predicate(test.graph, node);
        ++branches;
        if (origin == "aten.sum.default" || origin == "aten.any.default" || origin == "aten.all.default")
          ++seen["data"];
        if (origin == "aten.full.default") ++seen["size"];
        if (origin == "aten.remainder.Scalar") ++seen[test.later.empty() ? "turn in one call" : "turn"];
      }
      for (const Subgraph& subgraph : control->parts.subgraphs) {
        if (find_control(*subgraph.graph)) ++seen["nested"];
        if (!subgraph.name.starts_with("cached")) continue;
        ++seen[writes_to_a_closure(node) ? "cache in place" : "cache as a carry"];
      }
    }
    if (branches > 1) ++seen["two branches"];
  }
  for (const char* kind : {"data", "size", "turn", "nested", "two branches", "cache in place", "cache as a carry"}) {
    EXPECT_GE(seen[kind], 20) << kind;
  }
  // A predicate that takes turns is for several calls; where the targets take one alone it is drawn all the same.
  EXPECT_EQ(seen["turn in one call"], 0);
}

}  // namespace
}  // namespace parallax
