// Promotion and eager's refusals, against facts recorded from PyTorch 2.13.
#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Rank = OperandType::Rank;

struct PromotionFact {
  std::vector<OperandType> operands;
  DType result;
};

TEST(Promotion, FollowsTheFacts) {
  const std::vector<PromotionFact> facts = {
      {{{DType::F32, Rank::Tensor}, {DType::F64, Rank::ZeroDim}}, DType::F32},
      {{{DType::I32, Rank::Tensor}, {DType::F16, Rank::ZeroDim}}, DType::F16},
      {{{DType::U8, Rank::Tensor}, {DType::I8, Rank::Tensor}}, DType::I16},
      {{{DType::F16, Rank::Tensor}, {DType::BF16, Rank::Tensor}}, DType::F32},
      {{{DType::U8, Rank::Tensor}, {DType::I64, Rank::ZeroDim}}, DType::U8},
      {{{DType::Bool, Rank::Tensor}, {DType::U8, Rank::ZeroDim}}, DType::U8},
      {{{DType::Bool, Rank::Tensor}, {DType::I64, Rank::Number}}, DType::I64},
      {{{DType::I64, Rank::Tensor}, {DType::F32, Rank::Number}}, DType::F32},
      {{{DType::F16, Rank::ZeroDim}, {DType::F32, Rank::Number}}, DType::F16},
      {{{DType::F16, Rank::Tensor}, {DType::F32, Rank::Number}}, DType::F16},
      {{{DType::I64, Rank::ZeroDim}, {DType::I8, Rank::Tensor}}, DType::I8},
      {{{DType::I64, Rank::ZeroDim}, {DType::F16, Rank::ZeroDim}}, DType::F16},
      {{{DType::BF16, Rank::Tensor}, {DType::F32, Rank::Tensor}}, DType::F32},
  };
  for (std::size_t i = 0; i < facts.size(); ++i)
    EXPECT_EQ(result_type(facts[i].operands), facts[i].result) << "fact " << i;
}

struct DTypeFact {
  const char* op;
  DType self;
  std::vector<Argument> rest;
  std::optional<DType> result;  // nothing: eager refuses
};

TEST(Promotion, ResultDTypesOfOps) {
  const Scalar one = int64_t{1};
  const Scalar half = 0.5;
  const Scalar yes = true;
  const std::vector<DTypeFact> facts = {
      {"aten.neg.default", DType::Bool, {}, std::nullopt},
      {"aten.abs.default", DType::Bool, {}, std::nullopt},
      {"aten.relu.default", DType::Bool, {}, std::nullopt},
      {"aten.neg.default", DType::U8, {}, DType::U8},
      {"aten.sigmoid.default", DType::Bool, {}, DType::F32},
      {"aten.sqrt.default", DType::I64, {}, DType::F32},
      {"aten.exp.default", DType::BF16, {}, DType::BF16},
      {"aten.sigmoid_.default", DType::I32, {}, std::nullopt},
      {"aten.abs_.default", DType::I32, {}, DType::I32},
      {"aten.add.Scalar", DType::Bool, {yes}, DType::Bool},
      {"aten.add.Scalar", DType::Bool, {one}, DType::I64},
      {"aten.add.Scalar", DType::I32, {half}, DType::F32},
      {"aten.add_.Scalar", DType::I32, {half}, std::nullopt},
      {"aten.sub.Scalar", DType::F32, {yes}, std::nullopt},
      {"aten.sub.Scalar", DType::Bool, {one}, std::nullopt},
      {"aten.mul.Scalar", DType::Bool, {yes}, DType::Bool},
      {"aten.gt.Scalar", DType::U8, {half}, DType::Bool},
      {"aten.clamp.default", DType::I32, {half, Argument()}, DType::F32},
      {"aten.clamp_.default", DType::I32, {half, Argument()}, std::nullopt},
      {"aten.clamp.default", DType::F32, {Argument(), Argument()}, std::nullopt},
      {"aten.clamp.default", DType::I8, {one, Scalar(int64_t{300})}, std::nullopt},
      {"aten.clamp.default", DType::U8, {Scalar(int64_t{-1}), Scalar(int64_t{2})}, DType::U8},
      {"aten.fill_.Scalar", DType::I8, {Scalar(int64_t{300})}, std::nullopt},
      {"aten.fill_.Scalar", DType::F16, {Scalar(1e6)}, DType::F16},  // an infinity: halves take what f32 does
      {"aten.fill_.Scalar", DType::I8, {Scalar(2.7)}, DType::I8},
      {"aten.sum.default", DType::U8, {}, DType::I64},
      {"aten.prod.default", DType::Bool, {}, DType::I64},
      {"aten.mean.default", DType::I32, {}, std::nullopt},
      {"aten.cumsum.default", DType::I8, {Scalar(int64_t{0})}, DType::I64},
      {"aten.cumsum_.default", DType::I8, {Scalar(int64_t{0})}, DType::I8},
      {"aten.amax.default", DType::Bool, {}, DType::Bool},
      {"aten.logical_not.default", DType::F16, {}, DType::Bool},
  };
  for (const DTypeFact& fact : facts) {
    OpHarness harness;
    std::vector<Argument> arguments = {harness.add(fact.self, {2})};
    arguments.insert(arguments.end(), fact.rest.begin(), fact.rest.end());
    const auto results = harness.infer(fact.op, arguments);
    ASSERT_EQ(results.has_value(), fact.result.has_value()) << fact.op << " of " << name(fact.self);
    if (!results) {
      EXPECT_EQ(results.error().kind, ErrorKind::EagerRefuses) << results.error().text();
    } else {
      EXPECT_EQ(results->front().dtype, *fact.result) << fact.op << " of " << name(fact.self);
    }
  }
}

TEST(Promotion, Alpha) {
  OpHarness harness;
  const ValueId integers = harness.add(DType::I32, {2});
  const ValueId bools = harness.add(DType::Bool, {2});
  const ValueId bytes = harness.add(DType::U8, {2});
  const auto with_alpha = [&](ValueId self, Scalar alpha) {
    return harness.infer("aten.add.Tensor", {self, self}, {{"alpha", alpha}}).has_value();
  };
  EXPECT_TRUE(with_alpha(integers, int64_t{2}));
  EXPECT_FALSE(with_alpha(integers, 2.0));
  EXPECT_FALSE(with_alpha(integers, true));
  EXPECT_TRUE(with_alpha(bools, true));
  EXPECT_TRUE(with_alpha(bytes, int64_t{-1}));
  EXPECT_FALSE(with_alpha(bytes, int64_t{300}));
}

struct StrideFact {
  const char* op;
  std::vector<Layout> operands;
  Dims strides;
};

TEST(PointwiseLayout, FollowsTheOperands) {
  const Layout transposed = {{3, 2}, {1, 3}, 0};
  const Layout every_other = {{3, 4}, {2, 6}, 0};
  const std::vector<StrideFact> facts = {
      {"aten.neg.default", {transposed}, {1, 3}},
      {"aten.neg.default", {every_other}, {1, 3}},
      {"aten.relu.default", {{{2, 3}, {0, 1}, 0}}, {3, 1}},
      {"aten.add.Tensor", {transposed, transposed}, {1, 3}},
      {"aten.add.Tensor", {transposed, contiguous_layout({3, 2})}, {1, 3}},
      {"aten.add.Tensor", {contiguous_layout({3, 2}), transposed}, {2, 1}},
      {"aten.sum.dim_IntList", {transposed}, {1}},
      {"aten.cumsum.default", {transposed}, {2, 1}},
  };
  for (const StrideFact& fact : facts) {
    OpHarness harness;
    std::vector<Argument> arguments;
    for (const Layout& layout : fact.operands) arguments.emplace_back(harness.add(DType::F32, layout));
    if (std::string_view(fact.op) == "aten.sum.dim_IntList") arguments.emplace_back(IntList{1});
    if (std::string_view(fact.op) == "aten.cumsum.default")
      arguments.emplace_back(std::in_place_type<Scalar>, int64_t{0});
    const auto results = harness.infer(fact.op, arguments);
    ASSERT_TRUE(results.has_value()) << fact.op;
    EXPECT_EQ(results->front().layout.strides, fact.strides)
        << fact.op << ": " << to_string(results->front().layout.strides);
  }
}

TEST(Writes, ExpandedMemoryIsRefusedWhereEagerDoes) {
  OpHarness harness;
  const ValueId expanded = harness.add(DType::F32, Layout{{3}, {0}, 0});
  const ValueId plain = harness.add(DType::F32, {3});
  const Scalar zero = int64_t{0};
  EXPECT_FALSE(harness.infer("aten.add_.Tensor", {expanded, plain}));
  EXPECT_FALSE(harness.infer("aten.mul_.Scalar", {expanded, zero}));
  EXPECT_FALSE(harness.infer("aten.relu_.default", {expanded}));
  EXPECT_FALSE(harness.infer("aten.clamp_.default", {expanded, zero}));
  EXPECT_FALSE(harness.infer("aten.cumsum_.default", {expanded, zero}));
  EXPECT_TRUE(harness.infer("aten.zero_.default", {expanded}));
  EXPECT_TRUE(harness.infer("aten.fill_.Scalar", {expanded, zero}));
  EXPECT_TRUE(harness.infer("aten.masked_fill_.Scalar", {expanded, harness.add(DType::Bool, {3}), zero}));
}

TEST(Writes, PartialOverlapIsRefused) {
  OpHarness harness;
  const ValueId whole = harness.add(DType::F32, {6});
  const ValueId front = harness.view(whole, {{5}, {1}, 0});
  const ValueId back = harness.view(whole, {{5}, {1}, 1});
  const ValueId even = harness.view(whole, {{3}, {2}, 0});
  const ValueId odd = harness.view(whole, {{3}, {2}, 1});
  const ValueId early = harness.view(whole, {{3}, {1}, 0});
  EXPECT_FALSE(harness.infer("aten.add_.Tensor", {back, front}));
  EXPECT_TRUE(harness.infer("aten.add_.Tensor", {front, front}));
  EXPECT_TRUE(harness.infer("aten.add_.Tensor", {even, odd})) << "interleaved, but apart";
  EXPECT_FALSE(harness.infer("aten.add_.Tensor", {even, early})) << "the result would depend on the order of the loop";
  EXPECT_FALSE(harness.infer("aten.add_.Tensor", {early, harness.add(DType::F32, {2, 3})}))
      << "the result is larger than self";
}

}  // namespace
}  // namespace parallax
