// Examples of the numeric families: small calls with results that anybody can check.
#include <gtest/gtest.h>

#include <cmath>

#include "core/limits.h"
#include "ops/cast.h"
#include "ops/profiles.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

// One call of positional arguments over tensors of one dtype, and its exact result.
struct Example {
  const char* op;
  DType dtype;
  std::vector<std::vector<double>> tensors;  // 1-d
  std::vector<Argument> rest;
  std::vector<double> result;
};

TEST(NumericExamples, ExactResults) {
  const auto integer = [](int64_t x) { return Argument(std::in_place_type<Scalar>, x); };
  const std::vector<Example> examples = {
      {"aten.neg.default", DType::I8, {{-128, 5}}, {}, {-128, -5}},
      {"aten.neg.default", DType::U8, {{1, 250}}, {}, {255, 6}},
      {"aten.abs.default", DType::I8, {{-128, -5}}, {}, {-128, 5}},
      {"aten.relu.default", DType::F32, {{-1, 0, 2, nan}}, {}, {0, 0, 2, nan}},
      {"aten.add.Tensor", DType::U8, {{200, 1}, {100, 1}}, {}, {44, 2}},
      {"aten.add.Tensor", DType::Bool, {{1, 1, 0}, {1, 0, 0}}, {}, {1, 1, 0}},
      {"aten.add.Scalar", DType::U8, {{1, 250}}, {integer(300)}, {45, 38}},
      {"aten.sub.Tensor", DType::F32, {{1.5, infinity}, {0.25, infinity}}, {}, {1.25, nan}},
      {"aten.mul.Tensor", DType::Bool, {{1, 1, 0}, {1, 0, 0}}, {}, {1, 0, 0}},
      {"aten.mul.Tensor", DType::F16, {{1.5, infinity}, {2, 0}}, {}, {3, nan}},
      {"aten.div.Tensor", DType::F64, {{1, 6}, {4, 3}}, {}, {0.25, 2}},
      {"aten.maximum.default", DType::F32, {{1, nan, 3}, {2, 2, -infinity}}, {}, {2, nan, 3}},
      {"aten.minimum.default", DType::F32, {{1, nan, 3}, {2, 2, -infinity}}, {}, {1, nan, -infinity}},
      {"aten.addcmul.default", DType::I32, {{1, 2}, {3, 4}, {5, 6}}, {}, {16, 26}},
      {"aten.addcmul.default", DType::F32, {{1, 2}, {3, 4}, {5, 0.5}}, {}, {16, 4}},
      {"aten.clamp.default", DType::F32, {{-3, 0.5, 9}}, {integer(2), integer(1)}, {1, 1, 1}},
      {"aten.clamp.default", DType::U8, {{1, 250}}, {integer(-1), integer(2)}, {2, 2}},
      {"aten.gt.Scalar", DType::U8, {{1, 250}}, {integer(-1)}, {0, 0}},
      {"aten.lt.Tensor", DType::F32, {{1, nan, 2}, {2, 2, 2}}, {}, {1, 0, 0}},
      {"aten.eq.Tensor", DType::F32, {{1, nan, -0.0}, {1, nan, 0}}, {}, {1, 0, 1}},
      {"aten.logical_not.default", DType::F32, {{0, nan, 2}}, {}, {1, 0, 0}},
      {"aten.fill_.Scalar", DType::U8, {{1, 2}}, {integer(-1)}, {255, 255}},
      {"aten.zero_.default", DType::F32, {{1, 2}}, {}, {0, 0}},
      {"aten.sum.default", DType::U8, {{200, 100}}, {}, {300}},
      {"aten.sum.default", DType::F16, {{65504, 65504, -65504}}, {}, {65504}},
      {"aten.mean.default", DType::F32, {{1, 2, 3, 6}}, {}, {3}},
      {"aten.prod.default", DType::F32, {{3, -2, 0.5}}, {}, {-3}},
      {"aten.amax.default", DType::F32, {{3, nan, 0.5}}, {}, {nan}},
      {"aten.amax.default", DType::I8, {{-3, -2}}, {}, {-2}},
      {"aten.cumsum.default", DType::I8, {{100, 100, 1}}, {integer(0)}, {100, 200, 201}},
      {"aten.cumsum_.default", DType::I8, {{100, 100, 1}}, {integer(0)}, {100, -56, -55}},
      {"aten.sum.default", DType::F32, {{}}, {}, {0}},
      {"aten.prod.default", DType::F32, {{}}, {}, {1}},
      {"aten.mean.default", DType::F32, {{}}, {}, {nan}},
  };
  for (std::size_t k = 0; k < examples.size(); ++k) {
    const Example& example = examples[k];
    SCOPED_TRACE(std::string(example.op) + ", example " + std::to_string(k));
    OpHarness harness;
    std::vector<Argument> arguments;
    for (const std::vector<double>& tensor : example.tensors) {
      arguments.emplace_back(harness.add(example.dtype, {static_cast<int64_t>(tensor.size())}, tensor));
    }
    arguments.insert(arguments.end(), example.rest.begin(), example.rest.end());
    const Result<ValueId> result = harness.call(example.op, arguments);
    ASSERT_TRUE(result.has_value());
    ASSERT_EQ(harness.meta(*result).layout.numel(), static_cast<int64_t>(example.result.size()));
    for (std::size_t i = 0; i < example.result.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      if (is_floating(harness.meta(*result).dtype)) {
        EXPECT_TRUE(same_ball(harness.ball(*result, index), Ball::exact(example.result[i]))) << "element " << i;
      } else {
        EXPECT_EQ(harness.integer(*result, index).value, static_cast<int64_t>(example.result[i])) << "element " << i;
      }
    }
  }
}

TEST(NumericExamples, AnElementIsOneNumberHoweverItIsReached) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2}, {1, 2});
  harness.ball(x, 0).radius = 0.5;
  const ValueId alias = harness.view(x, {{2}, {1}, 0});
  EXPECT_TRUE(harness.ball(*harness.call("aten.sub.Tensor", {x, alias})).is_exact());
  EXPECT_EQ(harness.integer(*harness.call("aten.lt.Tensor", {x, alias})).value, 0);
  EXPECT_EQ(harness.integer(*harness.call("aten.lt.Tensor", {x, alias})).undecided, Undecided::No);
  const ValueId copy = harness.add(DType::F32, {2});
  harness.ball(copy, 0) = harness.ball(x, 0);
  EXPECT_EQ(harness.integer(*harness.call("aten.lt.Tensor", {x, copy})).undecided, Undecided::InexactCompare);
  EXPECT_GT(harness.ball(*harness.call("aten.sub.Tensor", {x, copy})).radius, 0.9);
}

TEST(NumericExamples, AnUndecidedChoiceIsBoth) {
  OpHarness harness;
  const ValueId condition = harness.add(DType::Bool, {2}, {1, 1});
  harness.integer(condition, 0).undecided = Undecided::InexactCompare;
  const ValueId a = harness.add(DType::F32, {2}, {1, 1});
  const ValueId b = harness.add(DType::F32, {2}, {3, 3});
  const ValueId chosen = *harness.call("aten.where.self", {condition, a, b});
  EXPECT_LE(harness.ball(chosen, 0).low(), 1);
  EXPECT_GT(harness.ball(chosen, 0).low(), 0.999);
  EXPECT_GE(harness.ball(chosen, 0).high(), 3);
  EXPECT_TRUE(same_ball(harness.ball(chosen, 1), Ball::exact(1)));
  const ValueId filled = *harness.call("aten.masked_fill_.Scalar", {b, condition, Scalar(int64_t{5})});
  EXPECT_LE(harness.ball(filled, 0).low(), 3);
  EXPECT_GE(harness.ball(filled, 0).high(), 5);
  EXPECT_EQ(harness.ball(b, 1).mid, 5) << "written in place";
}

TEST(NumericExamples, AConstantThatTheDtypeDoesNotHoldMayBeRoundedOrNot) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F16, {1}, {1});
  const ValueId filled = *harness.call("aten.fill_.Scalar", {x, Scalar(0.1)});
  EXPECT_EQ(harness.ball(filled).mid, 0.1);
  EXPECT_TRUE(in_ball(DType::F16, harness.ball(filled), round_to(DType::F16, 0.1)));
  EXPECT_FALSE(in_ball(DType::F16, harness.ball(filled), 0.125));
}

TEST(NumericExamples, Arange) {
  OpHarness harness;
  const auto length = [&](std::vector<Argument> arguments, DType dtype) {
    return harness.infer("aten.arange.start_step", std::move(arguments), {{"dtype", dtype}})->front().layout.sizes[0];
  };
  const Scalar start = -1.5;
  const Scalar end = int64_t{5};
  const Scalar step = 1.5;
  EXPECT_EQ(length({start, end, step}, DType::I32), 5);
  EXPECT_EQ(length({start, end, step}, DType::I64), 6) << "eager cuts the numbers first here";
  EXPECT_FALSE(harness.infer("aten.arange.start_step", {Scalar(int64_t{5}), Scalar(int64_t{0}), Scalar(int64_t{1})}));
  EXPECT_FALSE(harness.infer("aten.arange.start_step", {Scalar(int64_t{0}), Scalar(int64_t{5}), Scalar(int64_t{0})}));
  const ValueId wrapped =
      *harness.call("aten.arange.start_step", {Scalar(int64_t{0}), Scalar(int64_t{300}), Scalar(int64_t{100})},
                    {{"dtype", DType::I8}});
  EXPECT_EQ(harness.integer(wrapped, 2).value, -56);
}

struct CastFact {
  Ball ball;
  DType to;
  int64_t value;
  Undecided undecided;
};

TEST(Cast, FloatToInteger) {
  const auto about = [](double mid, double radius) { return Ball{mid, radius, false, false, Undecided::No}; };
  const std::vector<CastFact> facts = {
      {Ball::exact(2.9), DType::I32, 2, Undecided::No},
      {Ball::exact(-2.9), DType::I32, -2, Undecided::No},
      {about(2.5, 0.4), DType::I32, 2, Undecided::No},
      {about(2, 0.4), DType::I32, 2, Undecided::InexactToInteger},
      {about(0, 0.4), DType::I32, 0, Undecided::No},
      {Ball::exact(300), DType::U8, 0, Undecided::CastOutOfRange},
      {Ball::exact(-1), DType::U8, 0, Undecided::CastOutOfRange},
      {Ball::exact(0x1p63), DType::I64, 0, Undecided::CastOutOfRange},
      {Ball::exact(-0x1p63), DType::I64, INT64_MIN, Undecided::No},
      {Ball::exact(nan), DType::I64, 0, Undecided::CastOutOfRange},
      {Ball::exact(nan), DType::Bool, 1, Undecided::No},
      {Ball::exact(0), DType::Bool, 0, Undecided::No},
      {about(0.5, 0.4), DType::Bool, 1, Undecided::No},
      {about(0.25, 0.4), DType::Bool, 0, Undecided::InexactToInteger},
  };
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const IntegerBall integer = ball_to_integer(facts[i].ball, facts[i].to);
    EXPECT_EQ(integer.undecided, facts[i].undecided) << "fact " << i;
    EXPECT_EQ(integer.value, facts[i].value) << "fact " << i;
  }
}

TEST(Cast, FloatToFloatRoundsOnlyWhereItMust) {
  const Profile& profile = *find_profile("eager");
  EXPECT_TRUE(cast_ball(Ball::exact(1.5), DType::F64, DType::F16, profile).is_exact());
  EXPECT_TRUE(cast_ball(Ball::exact(0x1.ffcp0), DType::F16, DType::F64, profile).is_exact());
  const Ball third = Ball::exact(1.0 / 3);
  const Ball once = cast_ball(third, DType::F32, DType::F16, profile);
  const Ball twice = cast_ball(third, DType::F64, DType::F16, profile);
  EXPECT_TRUE(in_ball(DType::F16, once, round_to(DType::F16, 1.0 / 3)));
  EXPECT_GT(twice.radius, 1.5 * once.radius) << "eager goes through f32";
  EXPECT_TRUE(cast_ball(Ball::exact(1e6), DType::F32, DType::F16, profile).may_inf);
  EXPECT_GT(integer_to_ball({(int64_t{1} << 53) + 1, Undecided::No}, DType::F64, profile).radius, 0);
  EXPECT_TRUE(integer_to_ball({(int64_t{1} << 53) + 2, Undecided::No}, DType::F64, profile).is_exact());
  // Just above the middle of 254 and 255 times 2^54, and at it once f32 has rounded it, as eager makes it first.
  const int64_t step = int64_t{1} << 54;
  const Ball half = integer_to_ball({254 * step + step / 2 + (int64_t{1} << 30), Undecided::No}, DType::BF16, profile);
  EXPECT_LE(half.low(), static_cast<double>(254 * step));
  EXPECT_GE(half.low(), static_cast<double>(254 * step - step / 1000));
  EXPECT_GE(half.high(), static_cast<double>(255 * step));
  EXPECT_LE(half.high(), static_cast<double>(255 * step + step / 1000));
  EXPECT_TRUE(integer_to_ball({255 * step, Undecided::No}, DType::BF16, profile).is_exact());
}

}  // namespace
}  // namespace parallax
