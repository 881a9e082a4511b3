// Resampling: eager's values, the texels that rounding leaves open, and soundness against other ways to compute.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/limits.h"
#include "ops/profiles.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 20250313;

std::vector<double> mids(const OpHarness& harness, ValueId value) {
  std::vector<double> all;
  for (int64_t i = 0; i < harness.meta(value).layout.numel(); ++i) all.push_back(harness.ball(value, i).mid);
  return all;
}

TEST(Upsample, DoublingIsExact) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 4}, {1, 2, 3, 4});
  const auto linear = harness.call("aten.upsample_bilinear2d.default", {row, IntList{1, 8}, Scalar(false)});
  EXPECT_EQ(mids(harness, *linear), (std::vector<double>{1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4}));
  for (int64_t i = 0; i < 8; ++i) EXPECT_TRUE(harness.ball(*linear, i).is_exact()) << i;
  const auto nearest = harness.call("aten.upsample_nearest2d.default", {row, IntList{1, 8}});
  EXPECT_EQ(mids(harness, *nearest), (std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(Upsample, AlignedCornersHoldTheFirstAndLastTexel) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 4}, {1, 2, 3, 4});
  const auto linear = harness.call("aten.upsample_linear1d.default", {row, IntList{8}, Scalar(true)});
  EXPECT_EQ(harness.ball(*linear, 0).mid, 1);
  EXPECT_TRUE(harness.ball(*linear, 0).is_exact());
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*linear, 1), round_to(DType::F32, 10.0 / 7)));
  EXPECT_FALSE(in_ball(DType::F32, harness.ball(*linear, 1), 1.4286));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*linear, 7), 4));
}

// Where halves are computed as halves, their weights are, whether eager keeps the op's as halves (1d) or not (2d).
TEST(Upsample, WeightsOfHalvesComputedAsHalves) {
  Profile halves = *find_profile("eager");
  allow(halves, Form::AccumulateInHalf);
  OpHarness harness(halves);
  const std::vector<double> elements = {1, -9, 3};
  const ValueId line = harness.add(DType::F16, {1, 1, 3}, elements);
  const ValueId row = harness.add(DType::F16, {1, 1, 1, 3}, elements);
  const auto linear = harness.call("aten.upsample_linear1d.default", {line, IntList{7}, Scalar(false)});
  const auto bilinear = harness.call("aten.upsample_bilinear2d.default", {row, IntList{1, 7}, Scalar(false)});
  for (int64_t i = 0; i < 7; ++i) {
    EXPECT_GE(harness.ball(*bilinear, i).radius, harness.ball(*linear, i).radius) << i;
  }
}

TEST(Upsample, AFactorGivesTheSize) {
  OpHarness harness;
  const ValueId picture = harness.add(DType::F32, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const ScalarList factors = {1.7, 2.0};
  const auto nearest = harness.call("aten.upsample_nearest2d.vec", {picture, {}, factors});
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(harness.meta(*nearest).layout.sizes, (Dims{1, 1, 3, 6}));
  EXPECT_EQ(harness.ball(*nearest, 6).mid, 1) << "1 / 1.7 is still in the first row";
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.vec", {picture, IntList{3, 6}, factors}).has_value());
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.vec", {picture, {}, {}}).has_value());
}

// 1/3 is no float: three thirds may fall just under the second texel.
TEST(Upsample, NearestAtATieMayBeEither) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 2}, {10, 20});
  const auto result = harness.call("aten.upsample_nearest1d.default", {row, IntList{6}});
  EXPECT_EQ(harness.ball(*result, 2).mid, 10);
  EXPECT_TRUE(harness.ball(*result, 2).is_exact());
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*result, 3), 10));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*result, 3), 20));
  EXPECT_TRUE(harness.ball(*result, 4).is_exact());
}

TEST(Upsample, BytesAreKnownWhereAllThatIsReadIsEqual) {
  OpHarness harness;
  const ValueId row = harness.add(DType::U8, {1, 1, 1, 4}, {7, 7, 7, 9});
  const auto result = harness.call("aten.upsample_bilinear2d.default", {row, IntList{1, 8}, Scalar(false)});
  EXPECT_EQ(harness.integer(*result, 1).value, 7);
  EXPECT_EQ(harness.integer(*result, 1).undecided, Undecided::No);
  EXPECT_EQ(harness.integer(*result, 6).undecided, Undecided::InexactToInteger);
}

TEST(Upsample, AByteOfTwoValuesIsNotTakenForItsNeighboursToo) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 2}, {0, 0.85});
  const auto bytes =
      harness.call("quantized_decomposed.quantize_per_tensor.default",
                   {row, Scalar(0.1), Scalar(int64_t{136}), Scalar(int64_t{0}), Scalar(int64_t{255}), DType::U8});
  ASSERT_TRUE(harness.integer(*bytes, 1).is_interval()) << "a tie of a quotient that is rounded";
  const auto copies = harness.call("aten.upsample_bilinear2d.default", {*bytes, IntList{1, 2}, Scalar(false)});
  EXPECT_EQ(harness.integer(*copies, 0).value, 136);
  EXPECT_TRUE(harness.integer(*copies, 1).is_interval());
  const auto between = harness.call("aten.upsample_bilinear2d.default", {*bytes, IntList{1, 1}, Scalar(false)});
  EXPECT_FALSE(harness.integer(*between, 0).decided());
  EXPECT_FALSE(harness.integer(*between, 0).is_interval());
}

// Eager multiplies a neighbour of no weight, or does not: it gives NaN for one and a number for another.
TEST(Upsample, ANaNNextDoorMayShow) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 3}, {1, nan, 2});
  const auto result = harness.call("aten.upsample_bilinear2d.default", {row, IntList{1, 3}, Scalar(false)});
  EXPECT_EQ(harness.ball(*result, 0).mid, 1);
  EXPECT_TRUE(harness.ball(*result, 0).may_nan);
  EXPECT_TRUE(std::isnan(harness.ball(*result, 1).mid));
}

TEST(Upsample, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId picture = harness.add(DType::F32, {1, 1, 2, 3});
  const ValueId integers = harness.add(DType::I32, {1, 1, 2, 3});
  const ValueId empty = harness.add(DType::F32, {1, 0, 2, 3});
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.default", {picture, IntList{2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.default", {picture, IntList{0, 2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.default", {integers, IntList{2, 2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.upsample_nearest2d.default", {empty, IntList{2, 2}}).has_value());
  EXPECT_FALSE(harness.infer("aten.upsample_nearest1d.default", {picture, IntList{2}}).has_value());
}

// An f32 implementation of linear and cubic upsampling, whose steps are fused or rounded at random.
class Implementation {
 public:
  explicit Implementation(uint64_t stream) : random_(stream) {}
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  double unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  double stored(double x) { return chance(70) ? round_to(DType::F32, x) : x; }

  double position(int64_t in, int64_t out, int64_t i, bool align) {
    const auto at = static_cast<double>(i);
    if (align) {
      if (out == 1) return 0;
      return stored(stored(static_cast<double>(in - 1) / static_cast<double>(out - 1)) * at);
    }
    const double scale = stored(static_cast<double>(in) / static_cast<double>(out));
    return chance(50) ? stored(stored(scale * (at + 0.5)) - 0.5) : stored(scale * (at + 0.5) - 0.5);
  }

  double linear(const std::vector<double>& row, double position) {
    position = std::max(position, 0.0);
    const auto last = static_cast<int64_t>(row.size()) - 1;
    const int64_t i = std::min(static_cast<int64_t>(position), last);
    const double t = std::min(stored(position - static_cast<double>(i)), 1.0);
    const double a = row[static_cast<std::size_t>(i)];
    const double b = row[static_cast<std::size_t>(std::min(i + 1, last))];
    return stored(stored(stored(1 - t) * a) + stored(t * b));
  }

  double cubic(const std::vector<double>& row, double position) {
    constexpr double a = -0.75;
    const auto last = static_cast<int64_t>(row.size()) - 1;
    const double floor = std::floor(position);
    const double t = stored(position - floor);
    const auto inner = [&](double x) {
      return stored(stored(stored(stored((a + 2) * x) - (a + 3)) * stored(x * x)) + 1);
    };
    const auto outer = [&](double x) {
      return stored(stored(stored(stored(stored(a * x) - 5 * a) * x) + 8 * a) * x - 4 * a);
    };
    const std::array weights = {outer(stored(t + 1)), inner(t), inner(stored(1 - t)), outer(stored(2 - t))};
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int64_t texel = std::clamp<int64_t>(static_cast<int64_t>(floor) - 1 + k, 0, last);
      sum = stored(sum + stored(weights[static_cast<std::size_t>(k)] * row[static_cast<std::size_t>(texel)]));
    }
    return sum;
  }

 private:
  std::mt19937_64 random_;
};

TEST(UpsampleSoundness, OtherWaysToComputeLieInside) {
  int64_t outside = 0;
  for (uint64_t stream = 0; stream < 1500; ++stream) {
    Implementation by(seed + stream);
    OpHarness harness;
    const int64_t in = by.between(1, 7);
    const int64_t out = by.between(1, 11);
    const bool align = by.chance(50);
    const bool cubic = by.chance(50);
    const ValueId row = harness.add(DType::F32, {1, 1, 1, in});
    for (int64_t i = 0; i < in; ++i) {
      harness.ball(row, i) = Ball::exact(round_to(DType::F32, by.unit() * 4));
      if (by.chance(20)) harness.ball(row, i).radius = 1e-4;
    }
    const auto result = harness.call(cubic ? "aten.upsample_bicubic2d.default" : "aten.upsample_bilinear2d.default",
                                     {row, IntList{1, out}, Scalar(align)});
    ASSERT_TRUE(result.has_value());
    for (int k = 0; k < 10; ++k) {
      std::vector<double> members;
      for (int64_t i = 0; i < in; ++i) {
        const Ball& ball = harness.ball(row, i);
        members.push_back(ball.mid + ball.radius * by.unit());
      }
      for (int64_t i = 0; i < out; ++i) {
        const double position = by.position(in, out, i, align);
        const double got = cubic ? by.cubic(members, position) : by.linear(members, position);
        const Ball& ball = harness.ball(*result, i);
        ASSERT_TRUE(ball.decided());
        if (std::fabs(got - ball.mid) > ball.radius && ++outside < 5) {
          ADD_FAILURE() << "seed " << seed + stream << ", " << in << " to " << out << ", place " << i << ": " << got
                        << " is not in " << ball.mid << " +- " << ball.radius;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

Result<ValueId> sample(OpHarness& harness, ValueId input, ValueId grid, int64_t mode, int64_t padding, bool align) {
  return harness.call("aten.grid_sampler_2d.default", {input, grid, Scalar(mode), Scalar(padding), Scalar(align)});
}

TEST(GridSampler, PaddingsOfAPicture) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 4}, {1, 2, 3, 4});
  const ValueId grid = harness.add(DType::F32, {1, 1, 3, 2}, {-1, 0, 0.25, 0, 1.5, 0});
  const auto zeros = sample(harness, row, grid, 0, 0, false);
  EXPECT_EQ(mids(harness, *zeros), (std::vector<double>{0.5, 3, 0}));
  const auto border = sample(harness, row, grid, 0, 1, false);
  EXPECT_EQ(mids(harness, *border), (std::vector<double>{1, 3, 4}));
  const auto reflected = sample(harness, row, grid, 0, 2, false);
  EXPECT_EQ(mids(harness, *reflected), (std::vector<double>{1, 3, 3.5}));
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(harness.ball(*zeros, i).is_exact()) << i;
}

TEST(GridSampler, NearestAtATieMayBeEither) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 4}, {1, 2, 3, 4});
  const ValueId grid = harness.add(DType::F32, {1, 1, 2, 2}, {0, 0, 0.25, 0});
  const auto nearest = sample(harness, row, grid, 1, 0, false);
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*nearest, 0), 2));
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*nearest, 0), 3));
  EXPECT_TRUE(harness.ball(*nearest, 1).is_exact());
  EXPECT_EQ(harness.ball(*nearest, 1).mid, 3);
}

TEST(GridSampler, APositionThatIsNoNumberSaysNothing) {
  OpHarness harness;
  const ValueId row = harness.add(DType::F32, {1, 1, 1, 4}, {1, 2, 3, 4});
  const ValueId grid = harness.add(DType::F32, {1, 1, 3, 2}, {nan, 0, infinity, 0, 1e30, 0});
  const auto zeros = sample(harness, row, grid, 0, 0, false);
  EXPECT_FALSE(harness.ball(*zeros, 0).decided());
  EXPECT_FALSE(harness.ball(*zeros, 1).decided());
  EXPECT_TRUE(in_ball(DType::F32, harness.ball(*sample(harness, row, grid, 0, 1, false), 2), 4));
}

TEST(GridSampler, WhatEagerRefuses) {
  OpHarness harness;
  const ValueId input = harness.add(DType::F32, {2, 3, 4, 4});
  const ValueId grid = harness.add(DType::F32, {2, 3, 3, 2});
  const ValueId one = harness.add(DType::F32, {1, 3, 3, 2});
  const ValueId wide = harness.add(DType::F64, {2, 3, 3, 2});
  EXPECT_TRUE(sample(harness, input, grid, 0, 0, false).has_value());
  EXPECT_FALSE(sample(harness, input, one, 0, 0, false).has_value());
  EXPECT_FALSE(sample(harness, input, wide, 0, 0, false).has_value());
  EXPECT_FALSE(sample(harness, input, grid, 3, 0, false).has_value());
  EXPECT_FALSE(sample(harness, input, grid, 0, -1, false).has_value());
}

}  // namespace
}  // namespace parallax
