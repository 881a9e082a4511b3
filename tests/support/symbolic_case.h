// Cases with several runs, for tests.
#pragma once

#include "graph/case_json.h"
#include "tests/support/graph_text.h"

namespace parallax::testing {

// GRAPH with an input "x" of type f32[B,2], run at the bound B = 4 and at 2. B is at least `least`.
inline std::string symbolic_json(const std::string& graph, int least = 1) {
  return R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"], "symbols": {"B": [)" + std::to_string(least) +
         R"(, 4]}, "graph": )" + graph + R"(, "runs": [
    {"feed": {"x": {"type": "f32[4,2]", "data": [1, 2, 3, 4, 5, 6, 7, 8]}}},
    {"feed": {"x": {"type": "f32[2,2]", "data": [3, 1, 4, 1]}}}]})";
}

inline Case symbolic_case(const std::string& graph, int least = 1) {
  Result<Case> test = parse_case(symbolic_json(graph, least));
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

// m, the mean of x over B, and e = x - m.
inline Case mean_case() {
  return symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "constants": {"w": {"type": "f32[2]", "data": [1, 2]}},
    "nodes": [{"out": "m", "op": "aten.mean.dim", "args": ["%x", [0], true]},
              {"out": "d", "op": "aten.sub.Tensor", "args": ["%x", "%m"]},
              {"out": "e", "op": "aten.mul.Tensor", "args": ["%d", "%w"]}],
    "outputs": ["%m", "%e"]})");
}

// v, the variance of x over B: a sum that is divided by B, of differences to one that is. B is never 1, where a
// division by it is none.
inline Case variance_case() {
  return symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "nodes": [{"out": "v", "op": "aten.var.correction", "args": ["%x", [0]], "kwargs": {"correction": 0}}],
    "outputs": ["%v"]})",
                       2);
}

// A buffer that grows by what is fed, in three runs.
inline Case counting_case() {
  Result<Case> test = parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs"], "graph": {
      "inputs": {"x": {"type": "f32[2]"}},
      "buffers": {"s": {"type": "f32[2]", "data": [0, 10]}},
      "nodes": [{"out": "a", "op": "aten.add_.Tensor", "args": ["%s", "%x"]},
                {"out": "b", "op": "aten.neg.default", "args": ["%a"]}],
      "outputs": ["%b"]},
    "runs": [{"feed": {"x": [1, 2]}, "expect": [{"type": "f32[2]", "data": [-1, -12]}]},
             {"feed": {"x": [3, 4]}, "expect": [{"type": "f32[2]", "data": [-4, -16]}]},
             {"feed": {"x": [5, 6]}, "expect": [{"type": "f32[2]", "data": [-9, -22]}]}]})");
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

}  // namespace parallax::testing
