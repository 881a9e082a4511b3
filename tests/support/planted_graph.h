// A table row for targets of ours: a fault, and a graph that shows it on a target whose backend takes the nodes.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "backends/examine.h"
#include "tests/support/graph_text.h"

namespace parallax::testing {

// `nodes` and `outputs` as in a case file, over x, f32[2,2], and n, i64[1], which no f32 holds.
struct PlantedGraph {
  const char* fault;
  const char* nodes;
  const char* outputs;
};

// Right on `sound` and a finding on `broken`, which has the fault.
inline void expect_shown(const PlantedGraph& plant, Target& sound, Target& broken) {
  SCOPED_TRACE(plant.fault);
  const Case test = case_of(R"({"inputs": {"x": {"type": "f32[2,2]"}, "n": {"type": "i64[1]"}}, "nodes": [)" +
                                std::string(plant.nodes) + R"(], "outputs": [)" + plant.outputs + "]}",
                            R"({"x": [1, -2, 3, -4], "n": [4000000000]})");
  EXPECT_EQ(examine(sound, test).judgement.verdict, Verdict::Match);
  EXPECT_TRUE(is_finding(examine(broken, test).judgement.verdict));
}

// Whether nothing is wrong, as far as anybody can say.
inline bool is_right(const Examination& examination) {
  const Verdict verdict = examination.judgement.verdict;
  return verdict == Verdict::Match || verdict == Verdict::Undecided || verdict == Verdict::ReferenceRefused;
}

}  // namespace parallax::testing
