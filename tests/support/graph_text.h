// Graphs for tests, written as the case file's nodes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "graph/case.h"
#include "graph/case_json.h"
#include "planner/plan.h"

namespace parallax::testing {

// The case {"graph": GRAPH, "feed": FEED}. A text that does not read fails the test and ends the program: it is the
// test's own mistake.
inline Case case_of(const std::string& graph, const std::string& feed) {
  Result<Case> test = parse_case(R"({"parallax": 1, "name": "t", "graph": )" + graph + R"(, "feed": )" + feed + "}");
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

// The value of that name.
inline ValueId value_named(const Graph& graph, std::string_view name) {
  for (std::size_t v = 0; v < graph.names.size(); ++v) {
    if (graph.names[v] == name) return ValueId(v);
  }
  ADD_FAILURE() << "no value is called " << name;
  return {};
}

// The graph's ops in order, short: "sigmoid alias exp".
inline std::string ops_of(const Graph& graph) {
  std::string ops;
  for (const Node& node : graph.nodes) ops += (ops.empty() ? "" : " ") + node.op->schema.name;
  return ops;
}

// a = sigmoid(x), read by c and, through the copy b, by e after d: the shape of fault F01.
inline Case elided_copy_case() {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "b", "op": "aten.clone.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%a"]},
      {"out": "d", "op": "aten.neg.default", "args": ["%c"]},
      {"out": "e", "op": "aten.add.Tensor", "args": ["%d", "%b"]}
    ],
    "outputs": ["%e"]})",
                 R"({"x": [-0.5, 1.5]})");
}

}  // namespace parallax::testing
