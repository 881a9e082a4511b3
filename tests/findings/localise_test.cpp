// Localise and part checks: a wrong operation in a program that is too long for a proof is named, and its part judged.
#include "fuzz/findings/localise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fuzz/findings/part_checks.h"
#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"
#include "oracle/legal_run.h"
#include "tests/support/computed.h"

namespace parallax {
namespace {

// Computes as eager does, but one op's results of a program of at least `from` nodes are off by a factor.
class OffByAFactor : public Target {
 public:
  OffByAFactor(std::string op, double factor, std::size_t from = 0)
      : op_(std::move(op)), factor_(factor), from_(from) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return *find_profile("eager"); }
  Outcome run(const Case& test, const std::vector<Tensor>*) override {
    Outcome outcome;
    LegalRun eager(test.graph, LegalRun::rounded());
    Interpreter interpreter(test.graph, profile());
    const bool wrong = test.graph.nodes.size() >= from_;
    const auto expected = interpreter.run(test.feed, [&](NodeId id, std::span<const BallView> values) {
      eager.decide(id, values);
      const Node& node = test.graph.node(id);
      if (!wrong || node.op->name != op_) return;
      const BallView& view = values[node.results[0].index];
      for_each_element(view.layout, [&](int64_t element) {
        Ball& ball = view.ball(element);
        ball = Ball::exact(round_to(view.dtype, ball.mid * factor_));
      });
    });
    if (!expected) return outcome;
    outcome.a = testing::observation_of(*expected);
    return outcome;
  }

 private:
  std::string name_ = "off by a factor";
  std::string op_;
  double factor_;
  std::size_t from_;
};

// Blocks of products and exponentials, a tanh in the middle.
Case long_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {4, 8});
  for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, std::sin(static_cast<double>(5 * i + 2)));
  test.feed.push_back(data);
  ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({4, 8}));
  for (int i = 0; i < 8; ++i) {
    const ValueId square = *builder.call("aten.mul.Tensor", {x, x});
    const ValueId mean = *builder.call("aten.mean.dim", {square, std::vector<int64_t>{1}, true});
    const ValueId root = *builder.call("aten.rsqrt.default", {mean});
    x = *builder.call("aten.mul.Tensor", {x, root});
    if (i == 4) x = *builder.call("aten.tanh.default", {x}, "middle");
    x = *builder.call("aten.exp.default", {x});
  }
  builder.add_output(x);
  test.graph = builder.take();
  return test;
}

TEST(Localise, NamesTheFirstWrongOperation) {
  OffByAFactor target("aten.tanh.default", 1 + 1e-3);
  const Case test = long_case();
  ASSERT_EQ(examine(target, test).judgement.verdict, Verdict::Mismatch);
  const Localised found = localise(target, test);
  ASSERT_TRUE(found.node);
  EXPECT_EQ(test.graph.node(*found.node).op->name, "aten.tanh.default");
  EXPECT_FALSE(found.vanished);
  ASSERT_TRUE(found.alone);
  EXPECT_EQ(examine(target, *found.alone).judgement.verdict, Verdict::Mismatch) << "the operation alone shows it";
}

TEST(Localise, ARightTargetHasNoWrongOperation) {
  OffByAFactor target("aten.tanh.default", 1);
  EXPECT_FALSE(localise(target, long_case()).node);
}

// Memory that is written in place and then read under the name that it had before.
Case writing_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {8});
  for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, std::sin(static_cast<double>(3 * i + 1)));
  test.feed.push_back(data);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({8}));
  const ValueId kept = *builder.call("aten.exp.default", {x}, "kept");
  builder.call("aten.mul_.Tensor", {kept, x}, "written").value();
  const ValueId last = *builder.call("aten.sin.default", {kept}, "last");
  builder.add_output(last);
  test.graph = builder.take();
  return test;
}

TEST(Localise, NamesAWrongWriteWhoseResultNobodyTakes) {
  OffByAFactor target("aten.mul_.Tensor", 1 + 1e-3);
  const Case test = writing_case();
  const Localised found = localise(target, test);
  ASSERT_TRUE(found.node);
  EXPECT_EQ(test.graph.node(*found.node).name, "written") << found.detail;
  ASSERT_TRUE(found.alone);
  EXPECT_EQ(examine(target, *found.alone).judgement.verdict, Verdict::Mismatch) << "the write alone shows it";
}

TEST(Localise, AReaderOfWrittenMemoryIsNotHeldAgainstWhatWasThereBefore) {
  OffByAFactor right("aten.mul_.Tensor", 1);
  EXPECT_FALSE(localise(right, writing_case()).node);
}

TEST(PartChecks, EveryPartOfARightTargetAgreesByProof) {
  OffByAFactor target("aten.tanh.default", 1);
  const PartChecks parts = check_parts(target, long_case(), 4, 60, [](std::size_t, std::size_t) {});
  EXPECT_FALSE(parts.wrong);
  EXPECT_GT(parts.judged, 10U);
  EXPECT_EQ(parts.undecided + parts.refused, 0U) << parts.text(4);
}

TEST(PartChecks, ThePartWithTheWrongOperationDiverges) {
  OffByAFactor target("aten.tanh.default", 1 + 1e-3);
  const Case test = long_case();
  const PartChecks parts = check_parts(target, test, 4, 60, [](std::size_t, std::size_t) {});
  ASSERT_TRUE(parts.wrong);
  bool holds_it = false;
  for (std::size_t n = parts.wrong->window.begin; n < parts.wrong->window.end; ++n) {
    holds_it = holds_it || test.graph.nodes[n].op->name == "aten.tanh.default";
  }
  EXPECT_TRUE(holds_it);
}

TEST(PartChecks, AFaultOfTheWholeShowsInNoPart) {
  OffByAFactor target("aten.tanh.default", 1 + 1e-3, 20);
  EXPECT_EQ(examine(target, long_case()).judgement.verdict, Verdict::Mismatch);
  EXPECT_FALSE(check_parts(target, long_case(), 4, 60, [](std::size_t, std::size_t) {}).wrong);
}

}  // namespace
}  // namespace parallax
