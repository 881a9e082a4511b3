// Quantization: what eager gives at the edges, where two integers are right, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/limits.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Arguments = std::vector<Argument>;

constexpr const char* quantize = "quantized_decomposed.quantize_per_tensor.default";
constexpr const char* quantize_channels = "quantized_decomposed.quantize_per_channel.default";
constexpr const char* quantize_tokens = "quantized_decomposed.quantize_per_token.default";
constexpr const char* quantize_groups = "quantized_decomposed.quantize_per_channel_group.default";
constexpr const char* dequantize = "quantized_decomposed.dequantize_per_tensor.default";

Argument integer(int64_t x) { return Scalar(x); }
Argument number(double x) { return Scalar(x); }

// One number, quantized into i8.
IntegerBall quantized(const Ball& x, double scale, int64_t zero_point = 0,
                      const Profile& profile = *find_profile("eager")) {
  OpHarness harness(profile);
  const ValueId input = harness.add(DType::F32, {1});
  harness.ball(input) = x;
  const auto result =
      harness.call(quantize, {input, number(scale), integer(zero_point), integer(-128), integer(127), DType::I8});
  EXPECT_TRUE(result) << result.error().text();
  return harness.integer(*result);
}

TEST(Quantization, RoundsTiesToEvenBeforeTheZeroPointIsAdded) {
  EXPECT_EQ(quantized(Ball::exact(2.5), 1, 1).value, 3);
  EXPECT_EQ(quantized(Ball::exact(3.5), 1, 1).value, 5);
  EXPECT_EQ(quantized(Ball::exact(-2.5), 1, 0).value, -2);
  for (const double x : {2.5, 3.5, -2.5}) EXPECT_TRUE(quantized(Ball::exact(x), 1).decided());
  // The reciprocal of 0.1 is 10.
  EXPECT_EQ(quantized(Ball::exact(1.75), 0.1).value, 18);
  EXPECT_TRUE(quantized(Ball::exact(1.75), 0.1).decided());
}

TEST(Quantization, GivesTwoIntegersAtABoundaryAndOneAwayFromIt) {
  Ball x = Ball::exact(2.5);
  x.radius = 1e-6;
  const IntegerBall near = quantized(x, 1, 10);
  EXPECT_TRUE(near.is_interval());
  EXPECT_EQ(near.low, 12);
  EXPECT_EQ(near.high, 13);
  x.mid = 2.4;
  EXPECT_TRUE(quantized(x, 1, 10).decided());
  EXPECT_EQ(quantized(x, 1, 10).value, 12);
}

TEST(Quantization, SaturatesAndLeavesNanUndecided) {
  EXPECT_EQ(quantized(Ball::exact(infinity), 0.5).value, 127);
  EXPECT_EQ(quantized(Ball::exact(-infinity), 0.5).value, -128);
  EXPECT_EQ(quantized(Ball::exact(1e30), 1e-30).value, 127);
  EXPECT_EQ(quantized(Ball::exact(1), 0.5, 127).value, 127);
  EXPECT_EQ(quantized(Ball::exact(3), infinity, 5).value, 5);
  for (const IntegerBall& x :
       {quantized(Ball::exact(nan), 1), quantized(Ball::exact(infinity), infinity), quantized(Ball::exact(1), nan)})
    EXPECT_EQ(x.undecided, Undecided::CastOutOfRange);
}

TEST(Quantization, OfADividedScaleTakesBothQuotients) {
  const Profile& onnxruntime = *find_profile("onnxruntime");
  const IntegerBall x = quantized(Ball::exact(1.75), 0.1, 0, onnxruntime);
  EXPECT_EQ(x.lowest(), 17);
  EXPECT_EQ(x.highest(), 18);
  EXPECT_TRUE(quantized(Ball::exact(1.7), 0.1, 0, onnxruntime).decided());
}

// Numbers around every boundary and between them, in the ways that an implementation of the profile may take.
TEST(Quantization, HoldsWhatEveryWayOfAProfileGives) {
  constexpr uint64_t seed = 20261128;
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  constexpr int draws = 3000;
  int intervals = 0;
  for (int i = 0; i < draws; ++i) {
    const double scale = std::exp2(between(-12, 3));
    const auto zero_point = static_cast<int64_t>(between(-100, 100));
    const double quotient = std::floor(between(-200, 200)) + (i % 2 == 0 ? 0.5 : between(0, 1));
    float x = static_cast<float>(quotient * scale);
    for (int step = static_cast<int>(between(0, 4)); step > 0; --step) x = std::nextafter(x, 1e9F);
    const auto factor = static_cast<float>(scale);
    const std::array quotients = {x * static_cast<float>(1 / scale), x / factor, static_cast<float>(x / scale)};
    const IntegerBall held =
        quantized(Ball::exact(static_cast<double>(x)), scale, zero_point, *find_profile("onnxruntime"));
    intervals += held.is_interval();
    for (const float q : quotients) {
      const double whole =
          std::clamp(std::nearbyint(static_cast<double>(q)) + static_cast<double>(zero_point), -128.0, 127.0);
      EXPECT_TRUE(whole >= static_cast<double>(held.lowest()) && whole <= static_cast<double>(held.highest()))
          << fmt::format("{} by {} and {}: {} is not in [{}, {}] (seed {}, draw {})", x, scale, zero_point, whole,
                         held.lowest(), held.highest(), seed, i);
    }
  }
  // Far from a boundary there is one integer.
  EXPECT_LT(intervals, draws * 2 / 3);
  EXPECT_GT(intervals, draws / 20);
}

TEST(Quantization, OfAnIntervalIsDequantizedAsOne) {
  OpHarness harness;
  const ValueId input = harness.add(DType::I8, {1});
  harness.integer(input) = IntegerBall::between(12, 13, 12, Undecided::InexactToInteger);
  const auto result =
      harness.call(dequantize, {input, number(0.5), integer(10), integer(-128), integer(127), DType::I8});
  ASSERT_TRUE(result) << result.error().text();
  const Ball x = harness.ball(*result);
  EXPECT_TRUE(x.decided());
  EXPECT_LE(x.low(), 1);
  EXPECT_GE(x.high(), 1.5);
  EXPECT_LT(x.radius, 0.26);
}

// A call over an input of f32[2,4], i8[2,4], scales and zero points.
struct Refused {
  const char* what;
  const char* op;
  DType input;
  std::optional<Dims> scales;  // no tensors: the numbers are in `rest`
  Arguments rest;
  const char* reason;  // behind "op: "
};

TEST(Quantization, RefusesWhatEagerRefuses) {
  const Argument low = integer(-128);
  const Argument high = integer(127);
  const DType i8 = DType::I8;
  const std::vector<Refused> rows = {
      {"a scale of 0", quantize, DType::F32, {}, {number(0), integer(0), low, high, i8}, "float division by zero"},
      {"f64",
       quantize,
       DType::F64,
       {},
       {number(1), integer(0), low, high, i8},
       "expecting input to have dtype f32, but got f64"},
      {"a dtype that is no integer",
       quantize,
       DType::F32,
       {},
       {number(1), integer(0), low, high, DType::F32},
       "unsupported dtype f32"},
      {"quant_min",
       quantize,
       DType::F32,
       {},
       {number(1), integer(0), integer(-129), high, i8},
       "quant_min -129 is out of bounds for i8"},
      {"quant_max",
       quantize,
       DType::F32,
       {},
       {number(1), integer(0), low, integer(128), i8},
       "quant_max 128 is out of bounds for i8"},
      {"another dtype than stated",
       dequantize,
       DType::I8,
       {},
       {number(1), integer(0), low, high, DType::U8},
       "expecting input to have dtype u8, but got i8"},
      {"an axis over the rank",
       quantize_channels,
       DType::F32,
       Dims{4},
       {integer(2), low, high, i8},
       "expecting axis to be < 2, got 2"},
      {"an axis under the rank",
       quantize_channels,
       DType::F32,
       Dims{4},
       {integer(-3), low, high, i8},
       "expecting axis to be < 2, got -3"},
      {"too many scales",
       quantize_channels,
       DType::F32,
       Dims{5},
       {integer(1), low, high, i8},
       "5 scales for 4 channels"},
      {"scales without a dim",
       quantize_channels,
       DType::F32,
       Dims{},
       {integer(1), low, high, i8},
       "scales must have a dim"},
      {"too few tokens", quantize_tokens, DType::F32, Dims{1, 1}, {low, high, i8}, "1 scales for 2 tokens of 4"},
      {"groups of one", quantize_groups, DType::F32, Dims{2, 4}, {low, high, i8, integer(1)}, "group_size must be > 1"},
      {"groups that do not fit",
       quantize_groups,
       DType::F32,
       Dims{2, 4},
       {low, high, i8, integer(3)},
       "input.shape[-1] = 4 must be divisible by group_size 3"},
      {"a group too few",
       quantize_groups,
       DType::F32,
       Dims{2, 3},
       {low, high, i8, integer(2)},
       "6 scales for 4 groups"},
      {"a range without 0",
       "quantized_decomposed.choose_qparams.tensor",
       DType::F32,
       {},
       {integer(1), integer(7), number(1e-6), i8},
       "the quantization range must include 0"},
      {"a range of one number",
       "quantized_decomposed.choose_qparams.tensor",
       DType::F32,
       {},
       {integer(0), integer(0), number(1e-6), i8},
       "quant_min must be less than quant_max"},
      {"tokens of u8",
       "quantized_decomposed.choose_qparams_per_token.default",
       DType::F32,
       {},
       {DType::U8},
       "unsupported dtype u8"},
  };
  for (const Refused& row : rows) {
    OpHarness harness;
    Arguments arguments = {harness.add(row.input, {2, 4})};
    if (row.scales) {
      arguments.push_back(harness.add(DType::F64, *row.scales));
      arguments.push_back(harness.add(DType::I64, *row.scales));
    }
    arguments.insert(arguments.end(), row.rest.begin(), row.rest.end());
    const auto result = harness.call(row.op, arguments);
    ASSERT_FALSE(result) << row.what;
    EXPECT_EQ(result.error().reason, std::string(row.op) + ": " + row.reason) << row.what;
  }
}

TEST(Quantization, OfGroupsRefusesNan) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {1, 2}, {1, nan});
  const ValueId scales = harness.add(DType::F32, {1, 1}, {1});
  const ValueId zero_points = harness.add(DType::I32, {1, 1}, {0});
  const auto result =
      harness.call(quantize_groups, {input, scales, zero_points, integer(-8), integer(7), DType::I8, integer(2)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason, fmt::format("{}: to_quant must not contain NaNs", quantize_groups));
}

TEST(Quantization, KeepsTheStridesOfItsInput) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, Layout{{2, 3}, {1, 2}, 0});
  const ValueId scales = harness.add(DType::F32, {3}, {1, 2, 4});
  const ValueId zero_points = harness.add(DType::I64, {3}, {0, 0, 0});
  const auto result =
      harness.call(quantize_channels, {input, scales, zero_points, integer(1), integer(-128), integer(127), DType::I8});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(harness.meta(*result).layout.strides, (Dims{1, 2}));
}

}  // namespace
}  // namespace parallax
