// Adjudication: a wrong kernel that hides within a wide bound is proved on a sharper case; a right one is not.
#include "fuzz/findings/adjudicate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"
#include "tests/support/computed.h"

namespace parallax {
namespace {

// Hands back the centre of what the oracle expects, and may be wrong about the node that makes an op's results.
class Approximate : public Target {
 public:
  explicit Approximate(std::string wrong_op = "", double factor = 1)
      : wrong_op_(std::move(wrong_op)), factor_(factor) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *find_profile("executorch"); }
  Outcome run(const Case& test, const std::vector<Tensor>*) override {
    Outcome outcome;
    Interpreter interpreter(test.graph, profile());
    const auto expected = interpreter.run(test.feed, [&](NodeId node, std::span<const BallView> values) {
      for (const ValueId id : test.graph.node(node).results) {
        const BallView& result = values[id.index];
        if (!result.floating()) continue;
        for_each_element(result.layout, [&](int64_t element) {
          Ball& ball = result.ball(element);
          const double factor = test.graph.node(node).op->name == wrong_op_ ? factor_ : 1;
          ball = Ball::exact(round_to(result.dtype, ball.mid * factor));
        });
      }
    });
    if (!expected) return outcome;
    outcome.a = testing::observation_of(*expected);
    return outcome;
  }

 private:
  std::string name_ = "approximate";
  std::string wrong_op_;
  double factor_;
};

// x @ w, then neg, over values that are no round numbers.
Case dense_case() {
  GraphBuilder builder;
  Case test;
  const auto add = [&](const char* name, const Dims& sizes) {
    Tensor tensor(DType::F32, sizes);
    for (int64_t i = 0; i < tensor.numel(); ++i) tensor.set_double(i, std::sin(static_cast<double>(i + 1)) + 0.1);
    test.feed.push_back(tensor);
    return *builder.add_source(SourceKind::Input, name, DType::F32, contiguous_layout(sizes));
  };
  const ValueId x = add("x", {2, 64});
  const ValueId w = add("w", {64, 2});
  const ValueId product = *builder.call("aten.mm.default", {x, w});
  builder.add_output(*builder.call("aten.neg.default", {product}));
  test.graph = builder.take();
  return test;
}

TEST(Adjudicate, WhatHidesInADenseSumIsProvedOnValuesOfFewBits) {
  Approximate wrong("aten.mm.default", 1 + 0x1p-19);
  const Case test = dense_case();
  const Verdict verdict = examine(wrong, test).judgement.verdict;
  ASSERT_TRUE(verdict == Verdict::Suspect || verdict == Verdict::Match) << "the bound is too wide to prove it here";
  const Adjudication adjudication = adjudicate(wrong, test);
  ASSERT_TRUE(adjudication.proof.has_value());
  EXPECT_EQ(adjudication.proof->by, "on values of few bits");
  EXPECT_EQ(adjudication.proof->examination.judgement.verdict, Verdict::Mismatch);
  EXPECT_EQ(examine(wrong, adjudication.proof->test).judgement.verdict, Verdict::Mismatch) << "the proof stands alone";
}

// No dense sum on a grid hides it: the function itself is off, and its own node shows that.
TEST(Adjudicate, AFunctionIsProvedWhereItStands) {
  GraphBuilder builder;
  Case test;
  Tensor fed(DType::F32, {1});
  fed.set_double(0, 0.3F);
  test.feed = {fed};
  ValueId value = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({1}));
  value = *builder.call("aten.sigmoid.default", {value});
  for (int i = 0; i < 6; ++i) value = *builder.call("aten.exp.default", {*builder.call("aten.sin.default", {value})});
  builder.add_output(value);
  test.graph = builder.take();
  Approximate wrong("aten.sigmoid.default", 1 + 0x1p-20);
  ASSERT_NE(examine(wrong, test).judgement.verdict, Verdict::Mismatch) << "the chain's bound is too wide";
  const Adjudication adjudication = adjudicate(wrong, test);
  ASSERT_TRUE(adjudication.proof.has_value());
  EXPECT_EQ(adjudication.proof->test.graph.nodes.size(), 1);
}

TEST(Adjudicate, ARightTargetStaysUnproven) {
  Approximate right;
  const Adjudication adjudication = adjudicate(right, dense_case());
  EXPECT_FALSE(adjudication.proof.has_value());
  EXPECT_GE(adjudication.checks, 4) << "every way was tried";
}

}  // namespace
}  // namespace parallax
