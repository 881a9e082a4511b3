// Custom operations on the oracle and on our own compiler: a write lands in the operand, whoever else looks at it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/ensemble.h"
#include "oracle/record.h"
#include "tests/support/custom_case.h"

namespace parallax {
namespace {

std::vector<double> mids(const BallTensor& tensor) {
  std::vector<double> numbers;
  for (const Ball& ball : tensor.balls) numbers.push_back(ball.mid);
  return numbers;
}

Case custom_case() { return parse_case(testing::custom_case, "case.json").value(); }

TEST(CustomOp, WritesWhereItsOperandLies) {
  const Case test = custom_case();
  const Expected expected = Interpreter(test.graph, *find_profile("eager")).run(test.feed).value();
  EXPECT_EQ(mids(expected.outputs[0]), (std::vector<double>{132, 506}));
  EXPECT_EQ(mids(expected.outputs[1]), (std::vector<double>{12, 46}));
  EXPECT_EQ(mids(expected.inputs[0]), (std::vector<double>{1, 12, 46}));
  EXPECT_EQ(expected.identity, (std::vector<int>{0, 1, 2, 0}));  // the second output lies in x
}

// An observer sees the caller's nodes and values, and the calls inside as those of a subgraph.
TEST(CustomOp, IsObservedAsTheCallersNode) {
  const Case test = custom_case();
  std::vector<std::size_t> nodes;
  std::vector<std::string> inner;
  const auto observe = [&](NodeId node, std::span<const BallView> values) {
    nodes.push_back(node.index);
    ASSERT_EQ(values.size(), test.graph.metas.size());
    for (const ValueId result : test.graph.node(node).results)
      EXPECT_EQ(values[result.index].layout, test.graph.meta(result).layout);
  };
  const auto observe_inner = [&](const Node& node, std::span<const BallView>) { inner.push_back(node.op->name); };
  Interpreter interpreter(test.graph, *find_profile("eager"));
  ASSERT_TRUE(interpreter.run(test.feed, observe, observe_inner));
  EXPECT_EQ(nodes, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(inner,
            (std::vector<std::string>{"aten.add_.Tensor", "aten.mul.Tensor", "aten.slice.Tensor", "aten.mul_.Scalar"}));
  EXPECT_TRUE(record_values(test));
}

// Two operands in one memory: what the one call writes, the next one reads through the other.
TEST(CustomOp, OperandsMayShareMemory) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(testing::custom_case);
  json["graph"]["nodes"][1]["args"][1] = {"%v", "%v"};
  const Case test = parse_case(json.dump(), "case.json").value();
  const Expected expected = Interpreter(test.graph, *find_profile("eager")).run(test.feed).value();
  EXPECT_EQ(mids(expected.inputs[0]), (std::vector<double>{1, 4, 12}));
  EXPECT_EQ(mids(expected.outputs[0]), (std::vector<double>{4 + 16, 12 + 36}));
}

}  // namespace
}  // namespace parallax
