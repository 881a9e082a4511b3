// Hurwitz's zeta function and the polygamma functions.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_zeta.h"
#include "ops/profiles.h"
#include "ops/zeta_values.h"
#include "tests/ops/ball_source.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = BallSource::Real;

constexpr uint64_t seed = 20250705;

const Profile& profile() { return *find_profile("eager"); }

Ball zeta(double s, double q, DType dtype = DType::F64) {
  return ball_zeta(BallMath(dtype, profile()), Ball::exact(s), Ball::exact(q));
}
Ball polygamma(int64_t n, double x, DType dtype = DType::F64) {
  return ball_polygamma(BallMath(dtype, profile()), n, Ball::exact(x));
}

struct Value {
  double first;
  double second;
  double value;  // to 17 digits, by mpmath
};

void expect_value(const Ball& ball, const Value& value, double relative) {
  EXPECT_NEAR(ball.mid, value.value, 1e-15 * std::fabs(value.value)) << value.first << ", " << value.second;
  EXPECT_LT(ball.radius, relative * std::fabs(value.value)) << value.first << ", " << value.second;
}

TEST(Zeta, Values) {
  for (const Value& value :
       {Value{2, 1, std::numbers::pi * std::numbers::pi / 6}, Value{3, 0.5, 8.41439832211716},
        Value{3, 2.5, 0.1181020258208637}, Value{1.5, 2.25, 1.497513607666668}, Value{12, 0.75, 31.570509390832159}}) {
    expect_value(zeta(value.first, value.second), value, 1e-14);
    expect_value(zeta(value.first, value.second, DType::F32), value, 3e-6);
  }
}

// The cubes of -1.5 and -0.5 cancel nearly all of the rest: the terms, not their sum, are the scale of the error.
TEST(Zeta, TermsOfANegativeArgumentCancel) {
  const double terms = -1 / 3.375 - 8 + 8.41439832211716;
  const Ball result = zeta(3, -1.5, DType::F32);
  EXPECT_NEAR(result.mid, terms, 1e-13);
  EXPECT_GT(result.radius, 8 * 0x1p-24);
  EXPECT_LT(result.radius, 2000 * 0x1p-24);
}

// The points as doubles, the values to 50 digits: a tail taken from q on is not short where q is no larger than s.
TEST(Zeta, TheCentreWhereQIsAsLargeAsS) {
  struct Known {
    double s_and_q;
    long double value;
  };
  for (const Known& known : {Known{14.120658737372696833745, 9.61284200757200705113253241876719984520e-17L},
                             Known{14.036065239004734905848, 1.30881830846931430554976862267973028337e-16L}}) {
    const long double got = hurwitz_zeta(known.s_and_q, known.s_and_q);
    EXPECT_LT(std::fabs(got / known.value - 1), 0x1p-57L) << known.s_and_q;
  }
}

TEST(Zeta, Edges) {
  for (const double q : {-1.0, 0.0, 0.5, 3.0}) {
    EXPECT_EQ(zeta(1, q).mid, infinity) << q;
    EXPECT_TRUE(std::isnan(zeta(0.5, q).mid)) << q;
    EXPECT_TRUE(std::isnan(zeta(-infinity, q).mid)) << q;
  }
  EXPECT_EQ(zeta(2.5, 0).mid, infinity);
  EXPECT_EQ(zeta(2.5, -3).mid, infinity);
  EXPECT_TRUE(std::isnan(zeta(2.5, -3.5).mid));
  EXPECT_TRUE(std::isnan(zeta(2.5, nan).mid));
  EXPECT_EQ(zeta(2, -infinity).mid, infinity);
  EXPECT_TRUE(in_ball(DType::F64, zeta(2, infinity), nan));
  EXPECT_TRUE(in_ball(DType::F64, zeta(2, infinity), 0));
  EXPECT_EQ(zeta(2, -1e300).mid, infinity);
  EXPECT_FALSE(zeta(2, -1e9 - 0.5).decided());
}

// Eager looks for a pole of q before it looks at a NaN for s.
TEST(Zeta, WhatMayBeNanIsInfiniteAtAPole) {
  const BallMath math(DType::F32, profile());
  const Ball maybe_nan = {0, 0, true, false, Undecided::No};
  EXPECT_FALSE(ball_zeta(math, maybe_nan, Ball::exact(-1)).decided());
  EXPECT_TRUE(is_definite_nan(ball_zeta(math, maybe_nan, Ball::exact(1))));
}

TEST(Polygamma, Values) {
  for (const Value& value : {Value{1, 1, 1.6449340668482264}, Value{2, 1, -2.4041138063191886},
                             Value{3, 2.5, 0.22390584881725205}, Value{4, 0.25, -24584.375388637934}}) {
    expect_value(polygamma(static_cast<int64_t>(value.first), value.second), value, 1e-8);
    expect_value(polygamma(static_cast<int64_t>(value.first), value.second, DType::F32), value, 2e-5);
  }
  EXPECT_NEAR(polygamma(1, -1.25).mid, 19.181879647671606, 1e-12);
  EXPECT_NEAR(polygamma(2, -1.25).mid, 123.72136678366236, 1e-11);
  // What eager's asymptotic series leaves out of trigamma.
  EXPECT_TRUE(in_ball(DType::F64, polygamma(1, 1), 1.6449340676383375));
}

// Term by term, with the tail's integral: nothing of it is in the code under test.
Real sum_of_powers(Real s, Real q) {
  constexpr int terms = 400;
  Real sum = 0;
  for (int k = 0; k < terms; ++k) sum += std::pow(q + k, -s);
  const Real a = q + terms;
  return sum + std::pow(a, -s) * (a / (s - 1) + 0.5L + s / (12 * a) - s * (s + 1) * (s + 2) / (720 * a * a * a));
}

// A box whose ends no double is: powers of the ends are off by as much as s says, and an implementation by its units.
TEST(Zeta, TheEndsOfABoxAreRounded) {
  const double half_unit = 0x1p-47;  // of 64 and more in f64
  for (int i = 1; i < 200; ++i) {
    const Ball q = {64 + 2 * i * half_unit, half_unit, false, false, Undecided::No};
    const Ball image = ball_zeta(BallMath(DType::F64, profile()), Ball::exact(60), q);
    const Real low = sum_of_powers(60, static_cast<Real>(q.mid) + static_cast<Real>(q.radius));
    const Real high = sum_of_powers(60, static_cast<Real>(q.mid) - static_cast<Real>(q.radius));
    const Real units = 4 * (std::nextafter(image.mid, 1) - image.mid);
    EXPECT_GE(static_cast<Real>(image.high()), high + units) << i;
    EXPECT_LE(static_cast<Real>(image.low()), low - units) << i;
  }
}

TEST(Polygamma, Edges) {
  EXPECT_EQ(polygamma(1, 0).mid, infinity);
  EXPECT_EQ(polygamma(2, 0).mid, -infinity);
  EXPECT_EQ(polygamma(3, -2).mid, infinity);
  EXPECT_EQ(polygamma(1, infinity).mid, 0);
  EXPECT_TRUE(std::isnan(polygamma(1, -infinity).mid));
  // 40! is over f32's range, and what it multiplies under it.
  EXPECT_TRUE(in_ball(DType::F32, polygamma(40, 100, DType::F32), -infinity));
  EXPECT_TRUE(in_ball(DType::F32, polygamma(171, 2.5, DType::F32), nan));
}

TEST(Polygamma, OrdersAndDtypes) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F16, {2}, {0.25, 5});
  EXPECT_FALSE(harness.infer("aten.polygamma.default", {Scalar(int64_t{-1}), x}));
  const auto result = harness.call("aten.polygamma.default", {Scalar(int64_t{1}), x});
  ASSERT_TRUE(result);
  EXPECT_EQ(harness.meta(*result).dtype, DType::F16);
  EXPECT_NEAR(harness.ball(*result, 1).mid, 0.221322955737, 1e-9);
  EXPECT_FALSE(harness.ball(*harness.call("aten.polygamma.default", {Scalar(int64_t{2}), x}), 1).decided());
  const auto written = harness.call("aten.polygamma_.default", {x, Scalar(int64_t{1})});
  ASSERT_TRUE(written);
  EXPECT_TRUE(same_ball(harness.ball(*written, 1), harness.ball(*result, 1)));
  EXPECT_FALSE(harness.infer("aten.polygamma_.default", {harness.add(DType::I32, {2}), Scalar(int64_t{2})}));
  EXPECT_FALSE(harness.infer("aten.special_zeta.default", {x, x}));
}

// A function of halves that are computed as halves is off by units of the half, trigamma too.
TEST(Polygamma, HalvesComputedAsHalves) {
  Profile halves = profile();
  allow(halves, Form::AccumulateInHalf);
  OpHarness harness(halves);
  const ValueId x = harness.add(DType::BF16, {1}, {2});
  const Ball trigamma = harness.ball(*harness.call("aten.polygamma.default", {Scalar(int64_t{1}), x}));
  EXPECT_TRUE(in_ball(DType::BF16, trigamma, 0.644934 + 0x1p-6));
  EXPECT_FALSE(in_ball(DType::BF16, trigamma, 0.644934 + 0x1p-4));
}

TEST(ZetaSoundness, InsideTheBall) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    const BallMath math(dtype, profile());
    BallSource source(dtype, seed);
    const auto drawn = [&](double low, double high) {
      Ball ball = Ball::exact(round_to(dtype, low + (high - low) * (static_cast<double>(source.unit()) + 1) / 2));
      if (source.chance(50)) ball.radius = 0.4 * low * std::ldexp(1.0, -static_cast<int>(source.bits() % 24));
      return ball;
    };
    int outside = 0;
    for (int i = 0; i < 100; ++i) {
      Ball s = drawn(2, 12);
      if (source.chance(50)) s.radius = 0;
      const Ball q = drawn(0.1, 5);
      const Ball result = ball_zeta(math, s, q);
      ASSERT_TRUE(result.decided());
      const Ball trigamma = ball_polygamma(math, 1, q);
      const Ball fourth = ball_polygamma(math, 4, q);
      const Real x = source.member(q);
      if (!inside(result, source.function(sum_of_powers(source.member(s), x)))) ++outside;
      if (!inside(trigamma, source.function(sum_of_powers(2, x)))) ++outside;
      if (!inside(fourth, source.function(-24 * sum_of_powers(5, x)))) ++outside;
    }
    EXPECT_EQ(outside, 0) << name(dtype) << ", seed " << seed;
  }
}

}  // namespace
}  // namespace parallax
