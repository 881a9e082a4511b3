// What people read of a graph, as golden text.

#include "graph/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "export/dot.h"
#include "graph/case_json.h"
#include "tests/support/golden.h"
#include "tests/support/sample_case.h"

namespace parallax {
namespace {

Case parsed(std::string_view json) {
  auto test = parse_case(json);
  EXPECT_TRUE(test) << test.error().text();
  return test ? *std::move(test) : Case();
}

TEST(Print, TextOfACase) { expect_golden(print(parsed(full_case)), "full_case.txt"); }
TEST(Print, DotOfACase) { expect_golden(to_dot(parsed(full_case).graph, "every \"part\""), "full_case.dot"); }

TEST(Print, NodesNameTheMemoryThatTheyShare) {
  const Graph graph = parsed(full_case).graph;
  EXPECT_EQ(node_text(graph, NodeId(0)), "a = sigmoid(x)  f32[2,3]");
  EXPECT_EQ(node_text(graph, NodeId(1)), "sum = add_(w0, a, alpha=0.5)  f32[2,3] strides [6,2] offset 1  writes s0");
  EXPECT_EQ(node_text(graph, NodeId(3)), "flat = view(a, [3, 2])  f32[3,2]  view of a");
}

}  // namespace
}  // namespace parallax
