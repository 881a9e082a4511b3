// Examples of a pass: small graphs and the ops that it leaves.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/passes.h"
#include "tests/support/graph_text.h"

namespace parallax::testing {

struct PassExample {
  std::string name;
  std::string nodes;
  std::string outputs;
  std::string ops;  // after the pass
};

// Runs the pass on each example over these inputs ("inputs": …, "constants": …); running it again changes nothing.
inline void expect_ops(PassFn pass, const PassOptions& options, const std::string& sources, const std::string& feed,
                       const std::vector<PassExample>& examples) {
  for (const PassExample& example : examples) {
    SCOPED_TRACE(example.name);
    const Case test = case_of(
        "{" + sources + R"(, "nodes": [)" + example.nodes + R"(], "outputs": [)" + example.outputs + "]}", feed);
    const Result<Graph> once = pass(test.graph, options);
    ASSERT_TRUE(once) << once.error().text();
    EXPECT_EQ(ops_of(*once), example.ops);
    const Result<Graph> twice = pass(*once, options);
    ASSERT_TRUE(twice) << twice.error().text();
    EXPECT_EQ(ops_of(*twice), example.ops);
  }
}

}  // namespace parallax::testing
