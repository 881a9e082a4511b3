// Orthogonal polynomials: known values, where a result is exact, and that the recurrence and the trigonometric form,
// each step rounded or not, lie in the ball.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "core/limits.h"
#include "ops/ball_orthogonal.h"
#include "ops/profiles.h"
#include "tests/ops/ball_source.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Family = OrthogonalFamily;
using Real = BallSource::Real;

constexpr uint64_t seed = 20250706;

const Profile& profile() { return *find_profile("eager"); }

Ball at(DType dtype, Family family, double x, double n, bool shifted = false) {
  return ball_orthogonal(BallMath(dtype, profile()), family, shifted, Ball::exact(x), Ball::exact(n));
}

TEST(Orthogonal, SmallIntegersAreExact) {
  struct Value {
    Family family;
    double x;
    double n;
    double value;
  };
  for (const Value& test : {Value{Family::ChebyshevT, 3, 4, 577}, Value{Family::ChebyshevU, -3, 3, -204},
                            Value{Family::ChebyshevV, 2, 3, 41}, Value{Family::ChebyshevW, 2, 3, 71},
                            Value{Family::HermiteH, 2, 4, 76}, Value{Family::HermiteHe, 3, 4, 30},
                            Value{Family::ChebyshevT, -1, 9, -1}, Value{Family::ChebyshevW, 1, 10, 21}}) {
    EXPECT_TRUE(same_ball(at(DType::F32, test.family, test.x, test.n), Ball::exact(test.value))) << test.value;
  }
  EXPECT_TRUE(same_ball(at(DType::F32, Family::ChebyshevT, 2, 4, true), Ball::exact(577)));
  // T of degree 12 at 3 takes 31 bits.
  EXPECT_GT(at(DType::F32, Family::ChebyshevT, 3, 12).radius, 0);
  EXPECT_TRUE(same_ball(at(DType::F64, Family::ChebyshevT, 3, 12), Ball::exact(768398401)));
}

TEST(Orthogonal, AgreesWithTheStandardLibrary) {
  for (unsigned n = 0; n < 12; ++n) {
    for (const double x : {0.0625, 0.5, 0.9375, 1.5, 7.25}) {
      const std::array pairs = {std::pair{Family::HermiteH, std::hermite(n, x)},
                                std::pair{Family::Laguerre, std::laguerre(n, x)},
                                std::pair{Family::Legendre, x <= 1 ? std::legendre(n, x) : nan}};
      for (const auto& [family, value] : pairs) {
        if (std::isnan(value)) continue;
        const Ball narrow = at(DType::F32, family, x, n);
        EXPECT_NEAR(narrow.mid, value, 1e-12 * (1 + std::fabs(value))) << n << " at " << x;
        EXPECT_TRUE(in_ball(DType::F32, narrow, round_to(DType::F32, value))) << n << " at " << x;
      }
    }
  }
}

TEST(Orthogonal, DegreesAreCutAndNoneIsNegative) {
  EXPECT_TRUE(same_ball(at(DType::F32, Family::ChebyshevT, nan, -1), Ball::exact(0)));
  EXPECT_TRUE(same_ball(at(DType::F32, Family::Legendre, 5, -0.75), Ball::exact(1)));
  EXPECT_TRUE(same_ball(at(DType::F32, Family::HermiteH, 3, 2.75), Ball::exact(34)));
  EXPECT_EQ(at(DType::F32, Family::ChebyshevT, 0.5, nan).undecided, Undecided::CastOutOfRange);
  EXPECT_EQ(at(DType::F32, Family::ChebyshevT, 0.5, infinity).undecided, Undecided::CastOutOfRange);
  const BallMath math(DType::F32, profile());
  const auto of_degree = [&](const Ball& n) {
    return ball_orthogonal(math, Family::HermiteH, false, Ball::exact(3), n).undecided;
  };
  EXPECT_EQ(of_degree({2.5, 0.25, false, false, Undecided::No}), Undecided::No);
  EXPECT_EQ(of_degree({2.5, 0.75, false, false, Undecided::No}), Undecided::InexactToInteger);
}

// Eager leaves the result unset where the recurrence starts from NaN.
TEST(Orthogonal, NotFinite) {
  EXPECT_TRUE(std::isnan(at(DType::F32, Family::ChebyshevU, nan, 1).mid));
  EXPECT_EQ(at(DType::F32, Family::ChebyshevU, nan, 2).undecided, Undecided::Uninitialized);
  EXPECT_TRUE(std::isnan(at(DType::F32, Family::HermiteHe, nan, 2).mid));
  EXPECT_EQ(at(DType::F32, Family::ChebyshevT, -infinity, 1).mid, -infinity);
  EXPECT_EQ(at(DType::F32, Family::ChebyshevT, -infinity, 2).mid, infinity);
  EXPECT_TRUE(std::isnan(at(DType::F32, Family::ChebyshevT, infinity, 3).mid));
  EXPECT_TRUE(std::isnan(at(DType::F32, Family::ChebyshevT, infinity, 1e9).mid));
  // An infinity on the way meets another.
  const Ball over = at(DType::F32, Family::ChebyshevT, 100, 20);
  EXPECT_TRUE(over.may_inf && over.may_nan);
}

// Next to 1 eager's shifted W is the value of the other end.
TEST(Orthogonal, TakesEagersEnds) {
  const Ball shifted = at(DType::F32, Family::ChebyshevW, 1 - 0x1p-24, 10, true);
  EXPECT_TRUE(in_ball(DType::F32, shifted, 1));
  EXPECT_TRUE(in_ball(DType::F32, shifted, 21));
  EXPECT_TRUE(in_ball(DType::F32, at(DType::F32, Family::ChebyshevV, -1 + 0x1p-24, 9), -19));
}

// Of any size, and in bounded time.
TEST(Orthogonal, HighDegrees) {
  const Ball wave = at(DType::F32, Family::ChebyshevT, 0.3, 1000);
  ASSERT_TRUE(wave.decided());
  EXPECT_NEAR(wave.mid, std::cos(1000 * std::acos(0.3)), 1e-9);
  EXPECT_LT(wave.radius, 0.01);
  EXPECT_TRUE(at(DType::F32, Family::ChebyshevT, 0.3, 1e15).decided());
  EXPECT_FALSE(at(DType::F32, Family::Legendre, 0.3, 1e15).decided());
  EXPECT_FALSE(at(DType::F64, Family::HermiteH, 1e300, 60).decided());
}

// Between -1 and 1 a step rounds to 2^-24, and grows at most as the degree does.
// Rounded toward zero, a step over the largest number stays at that, and the next ones go on from it.
TEST(Orthogonal, SaturatedSteps) {
  Profile open = profile();
  open.rounding_mode_open = true;
  const auto result = [](const Profile& of) {
    return ball_orthogonal(BallMath(DType::F32, of), Family::HermiteH, false, Ball::exact(64), Ball::exact(20));
  };
  EXPECT_FALSE(result(open).decided());
  EXPECT_TRUE(result(profile()).may_inf);
  EXPECT_TRUE(result(profile()).decided());
}

TEST(Orthogonal, IsTight) {
  for (const double n : {2.0, 4.0, 6.0}) {
    for (const double x : {-0.9, -0.3, 0.2, 0.7}) {
      for (const Family family : {Family::ChebyshevT, Family::Legendre}) {
        EXPECT_LT(at(DType::F32, family, round_to(DType::F32, x), n).radius, 8 * n * 0x1p-24) << n << " at " << x;
      }
    }
  }
}

// One polynomial as an implementation computes it.
Real computed(BallSource& s, Family family, Real x, int n) {
  const auto times = [&](Real a, Real b) { return s.stored(a * b); };
  Real before = 1;
  Real value = x;
  if (family == Family::ChebyshevU || family == Family::HermiteH) value = 2 * x;
  if (family == Family::ChebyshevV) value = s.stored(2 * x - 1);
  if (family == Family::ChebyshevW) value = s.stored(2 * x + 1);
  if (family == Family::Laguerre) value = s.stored(1 - x);
  if (n == 0) return 1;
  for (int k = 1; k < n; ++k) {
    Real next;
    if (family == Family::HermiteH) {
      next = s.stored(times(2 * x, value) - times(2 * k, before));
    } else if (family == Family::HermiteHe) {
      next = s.stored(times(x, value) - times(k, before));
    } else if (family == Family::Laguerre) {
      const Real a = s.stored(2 * k + s.stored(1 - x));
      next = s.stored(s.stored(times(a, value) - times(k, before)) / (k + 1));
    } else if (family == Family::Legendre) {
      const Real gained = s.chance(50) ? times(times(2 * k + 1, x), value) : times(2 * k + 1, times(x, value));
      next = s.stored(s.stored(gained - times(k, before)) / (k + 1));
    } else {
      next = s.stored(times(2 * x, value) - before);
    }
    before = value;
    value = next;
  }
  return value;
}

// The same by angles, for the Chebyshev families.
Real by_angle(BallSource& s, Family family, Real x, int n) {
  const Real angle = s.function(std::acos(x));
  const auto turned = [&](Real factor) { return s.stored(factor * angle); };
  switch (family) {
    case Family::ChebyshevT:
      return s.function(std::cos(turned(n)));
    case Family::ChebyshevU:
      return s.stored(s.function(std::sin(turned(n + 1))) / s.function(std::sin(angle)));
    case Family::ChebyshevV:
      return s.stored(s.function(std::cos(turned(n + 0.5L))) / s.function(std::cos(turned(0.5L))));
    default:
      return s.stored(s.function(std::sin(turned(n + 0.5L))) / s.function(std::sin(turned(0.5L))));
  }
}

void expect_sound(DType dtype, Family family, bool shifted) {
  const BallMath math(dtype, profile());
  BallSource source(dtype, seed);
  int outside = 0;
  int decided = 0;
  constexpr int balls = 1500;
  for (int i = 0; i < balls; ++i) {
    const Ball x = source.ball(source.chance(50) ? 1 : 8);
    const int n = static_cast<int>(source.bits() % 12);
    const Ball result = ball_orthogonal(math, family, shifted, x, Ball::exact(n));
    decided += result.decided();
    for (int k = 0; k < 6; ++k) {
      const Real member = source.member(x);
      const Real point = shifted ? source.stored(source.stored(2 * member) - 1) : member;
      if (!inside(result, computed(source, family, point, n))) ++outside;
      const bool angular = family <= Family::ChebyshevW && n > 8 && std::fabs(point) < 0.999L;
      if (angular && !inside(result, by_angle(source, family, point, n))) ++outside;
    }
  }
  EXPECT_EQ(outside, 0) << static_cast<int>(family) << (shifted ? " shifted" : "") << " into " << name(dtype)
                        << ", seed " << seed;
  EXPECT_GT(decided, balls * 9 / 10) << static_cast<int>(family) << (shifted ? " shifted" : "");
}

TEST(OrthogonalSoundness, InsideTheBall) {
  for (const DType dtype : {DType::F32, DType::F64}) {
    for (const Family family : {Family::ChebyshevT, Family::ChebyshevU, Family::ChebyshevV, Family::ChebyshevW,
                                Family::HermiteH, Family::HermiteHe, Family::Laguerre, Family::Legendre}) {
      expect_sound(dtype, family, false);
      if (family <= Family::ChebyshevW) expect_sound(dtype, family, true);
    }
  }
}

TEST(Orthogonal, ADegreeThatEagerTakesMinutesForIsUnsupported) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {2}, {0.5, 0.5});
  const ValueId n = harness.add(DType::F32, {2}, {3, 1e9});
  const auto result = harness.call("aten.special_laguerre_polynomial_l.default", {x, n});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Unsupported);
}

TEST(Orthogonal, DtypesAndNumbers) {
  OpHarness harness;
  const ValueId x = harness.add(DType::F32, {3}, {1, 2, 3});
  const ValueId integers = harness.add(DType::I64, {3}, {0, 1, 2});
  const auto both = harness.call("aten.special_chebyshev_polynomial_t.default", {x, integers});
  ASSERT_TRUE(both);
  EXPECT_EQ(harness.ball(*both, 2).mid, 17);
  const auto point = harness.call("aten.special_hermite_polynomial_he.x_scalar", {Scalar(2.0), integers});
  ASSERT_TRUE(point);
  EXPECT_EQ(harness.meta(*point).dtype, DType::F32);
  EXPECT_EQ(harness.ball(*point, 2).mid, 3);
  const auto degree = harness.call("aten.special_hermite_polynomial_h.n_scalar", {x, Scalar(int64_t{2})});
  ASSERT_TRUE(degree);
  EXPECT_EQ(harness.ball(*degree, 1).mid, 14);
  const ValueId half = harness.add(DType::F16, {3});
  EXPECT_FALSE(harness.infer("aten.special_legendre_polynomial_p.default", {half, half}));
  EXPECT_TRUE(harness.infer("aten.special_legendre_polynomial_p.default", {half, x}));
}

}  // namespace
}  // namespace parallax
