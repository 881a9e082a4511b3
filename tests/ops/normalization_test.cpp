// Layer, group and batch normalisation: results that eager gives, shapes, running statistics, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

Argument integer(int64_t x) { return Argument(std::in_place_type<Scalar>, x); }
Argument real(double x) { return Argument(std::in_place_type<Scalar>, x); }
Argument flag(bool x) { return Argument(std::in_place_type<Scalar>, x); }
const Argument none;
constexpr double eps = 1e-5;

// The ball is decided, holds what eager gives and is no wider than a few thousandths of it.
void expect_near(const OpHarness& harness, ValueId value, const std::vector<double>& expected) {
  const DType dtype = harness.meta(value).dtype;
  ASSERT_EQ(harness.meta(value).layout.numel(), static_cast<int64_t>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Ball ball = harness.ball(value, static_cast<int64_t>(i));
    EXPECT_TRUE(ball.decided()) << "element " << i;
    EXPECT_TRUE(in_ball(dtype, ball, round_to(dtype, expected[i]))) << "element " << i << ": " << ball.mid;
    EXPECT_LT(ball.radius, 4 * info(dtype).unit_roundoff + 2e-5) << "element " << i;
  }
}

ValueId after(ValueId value, uint32_t steps) { return ValueId(value.index + steps); }

const std::vector<double> sample = {3, 0, 1, 2, 5, 1};

TEST(Normalization, LayerNorm) {
  for (DType dtype : {DType::F32, DType::F16}) {
    OpHarness harness;
    const ValueId x = harness.add(dtype, {2, 3}, sample);
    const ValueId out = *harness.call("aten.native_layer_norm.default", {x, IntList{3}, none, none, real(eps)});
    expect_near(harness, out, {1.33630191, -1.06904153, -0.26726038, -0.39223159, 1.37281057, -0.98057898});
    expect_near(harness, after(out, 1), {1.3333333333, 2.6666666667});
    expect_near(harness, after(out, 2), {0.8017811486, 0.5883473871});
    EXPECT_EQ(harness.meta(after(out, 1)).layout, contiguous_layout({2, 1}));
  }
}

TEST(Normalization, GroupNormIsLayerNormOfItsGroups) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {1, 4, 3}, {3, 0, 1, 2, 5, 1, 0, 4, 4, 1, 2, -3});
  const ValueId weight = harness.add(DType::F32, {4}, {1, 2, 1, -1});
  const ValueId grouped = *harness.call("aten.native_group_norm.default",
                                        {x, weight, none, integer(1), integer(4), integer(3), integer(2), real(eps)});
  const ValueId rows = harness.view(x, contiguous_layout({2, 6}));
  const ValueId layered = *harness.call("aten.native_layer_norm.default", {rows, IntList{6}, none, none, real(eps)});
  const std::vector<double> weights = {1, 2, 1, -1};
  for (int64_t i = 0; i < 12; ++i) {
    const double scaled = harness.ball(layered, i).mid * weights[static_cast<std::size_t>(i / 3)];
    EXPECT_NEAR(harness.ball(grouped, i).mid, scaled, 1e-6) << "element " << i;
  }
  EXPECT_EQ(harness.meta(after(grouped, 1)).layout, contiguous_layout({1, 2}));
  EXPECT_TRUE(same_ball(harness.ball(after(grouped, 1), 1), harness.ball(after(layered, 1), 1)));
}

TEST(Normalization, BatchNormInTrainingWritesTheRunningStatistics) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2, 3}, {3, 0, 1, 2, 5, -3});
  const ValueId mean = harness.add(DType::F32, {3}, {0, 1, 2});
  const ValueId variance = harness.add(DType::F32, {3}, {1, 1, 1});
  const ValueId out = *harness.call("aten._native_batch_norm_legit.default",
                                    {x, none, none, mean, variance, flag(true), real(0.25), real(eps)});
  expect_near(harness, out, {0.99998, -0.9999992, 0.99999875, -0.99998, 0.9999992, -0.99999875});
  expect_near(harness, after(out, 1), {2.5, 2.5, -1});
  expect_near(harness, mean, {0.625, 1.375, 1.25});
  expect_near(harness, variance, {0.875, 3.875, 2.75});
}

TEST(Normalization, BatchNormWithoutTrainingReadsThem) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2, 3}, sample);
  const ValueId mean = harness.add(DType::F32, {3}, {1, 0, 1});
  const ValueId variance = harness.add(DType::F32, {3}, {4, 1, 0.25});
  const ValueId bias = harness.add(DType::F32, {3}, {0, 1, 0});
  const ValueId out = *harness.call("aten.native_batch_norm.default",
                                    {x, none, bias, mean, variance, flag(false), real(0.25), real(0)});
  expect_near(harness, out, {1, 1, 0, 0.5, 6, 0});
  EXPECT_EQ(harness.meta(after(out, 1)).layout, contiguous_layout({0}));
  EXPECT_TRUE(same_ball(harness.ball(mean, 0), Ball::exact(1)));
}

// One value a channel has no unbiased variance.
TEST(Normalization, RunningVarianceOfOneValueIsNan) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {1, 1}, {3});
  const ValueId mean = harness.add(DType::F32, {1}, {0});
  const ValueId variance = harness.add(DType::F32, {1}, {1});
  ASSERT_TRUE(harness.call("aten._native_batch_norm_legit.default",
                           {x, none, none, mean, variance, flag(true), real(0.5), real(eps)}));
  EXPECT_TRUE(std::isnan(harness.ball(variance).mid));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(mean), 1.5));
}

// x scale and the shift are each an infinity where their sum would be a small number; eager gives NaN.
TEST(Normalization, AScaledElementMayOverflow) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {1, 1}, {3e38});
  const ValueId out = *harness.call("aten.group_norm.default", {x, integer(1)});
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(out), std::nan("")));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(out), 0));
}

// As is inf - inf, where the scale is infinite.
TEST(Normalization, AnInfiniteWeightMayGiveNan) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {1, 1, 2}, {1, 3});
  const ValueId weight = harness.add(DType::F32, {1}, {-INFINITY});
  const ValueId out = *harness.call("aten.native_group_norm.default",
                                    {x, weight, none, integer(1), integer(1), integer(2), integer(1), real(eps)});
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(out, 1), std::nan("")));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(out, 1), -INFINITY));
}

TEST(Normalization, Layouts) {
  OpHarness harness;
  const Layout channels_last{{2, 3, 4, 5}, {60, 1, 15, 3}, 0};
  const ValueId last = harness.add(DType::F32, channels_last);
  const ValueId turned = harness.add(DType::F32, {{2, 4, 5, 3}, {60, 5, 1, 20}, 0});
  const auto layout = [&](const char* op, std::vector<Argument> arguments) {
    return harness.infer(op, std::move(arguments))->front().layout;
  };
  const std::vector<Argument> batch = {last, none, none, flag(true), real(0.1), real(eps)};
  EXPECT_EQ(layout("aten._native_batch_norm_legit.no_stats", batch), channels_last);
  EXPECT_EQ(layout("aten.native_layer_norm.default", {last, IntList{5}, none, none, real(eps)}),
            contiguous_layout({2, 3, 4, 5}));
  EXPECT_EQ(layout("aten.native_group_norm.default",
                   {last, none, none, integer(2), integer(3), integer(20), integer(1), real(eps)}),
            channels_last);
  EXPECT_EQ(layout("aten.group_norm.default", {turned, integer(2)}), contiguous_layout({2, 4, 5, 3}));
}

TEST(Normalization, ParametersOfHalfInputsMayBeFloat) {
  OpHarness harness;
  const ValueId half = harness.add(DType::F16, {2, 3}, sample);
  const ValueId single = harness.add(DType::F32, {2, 3}, sample);
  const ValueId weight = harness.add(DType::F32, {3}, {1, 1, 1});
  const ValueId half_weight = harness.add(DType::F16, {3}, {1, 1, 1});
  const auto infer = [&](ValueId input, ValueId scale, Argument shift) {
    return harness.infer("aten.native_layer_norm.default", {input, IntList{3}, scale, std::move(shift), real(eps)});
  };
  EXPECT_EQ(infer(half, weight, none)->at(1).dtype, DType::F32);
  EXPECT_EQ(infer(half, half_weight, none)->at(1).dtype, DType::F16);
  EXPECT_FALSE(infer(single, half_weight, none).has_value());
  EXPECT_FALSE(infer(half, weight, half_weight).has_value());
}

TEST(Normalization, Refusals) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2, 3}, sample);
  const ValueId turned = harness.view(x, {{3, 2}, {1, 3}, 0});
  const ValueId empty = harness.add(DType::F32, {0, 3});
  const ValueId vector = harness.add(DType::F32, {3});
  struct Refused {
    const char* op;
    std::vector<Argument> arguments;
  };
  const std::vector<Refused> calls = {
      {"aten.native_layer_norm.default", {x, IntList{2}, none, none, real(eps)}},
      {"aten.native_layer_norm.default", {x, IntList{}, none, none, real(eps)}},
      {"aten.native_layer_norm.default", {x, IntList{2, 3}, vector, none, real(eps)}},
      {"aten.native_group_norm.default",
       {turned, none, none, integer(3), integer(2), integer(1), integer(1), real(eps)}},
      {"aten.native_group_norm.default", {x, none, none, integer(2), integer(3), integer(1), integer(2), real(eps)}},
      {"aten.native_group_norm.default", {x, none, none, integer(2), integer(3), integer(2), integer(1), real(eps)}},
      {"aten.native_group_norm.default", {x, none, none, integer(-2), integer(-3), integer(1), integer(1), real(eps)}},
      {"aten.group_norm.default", {vector, integer(1)}},
      {"aten._native_batch_norm_legit.no_stats", {empty, none, none, flag(true), real(0.1), real(eps)}},
      {"aten._native_batch_norm_legit.no_stats", {vector, none, none, flag(true), real(0.1), real(eps)}},
      {"aten.native_batch_norm.default", {x, none, none, vector, none, flag(true), real(0.1), real(eps)}},
  };
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const auto results = harness.infer(calls[k].op, calls[k].arguments);
    ASSERT_FALSE(results.has_value()) << calls[k].op << ", call " << k;
    EXPECT_EQ(results.error().kind, ErrorKind::EagerRefuses) << calls[k].op << ": " << results.error().reason;
  }
}

}  // namespace
}  // namespace parallax
