// Soundness of the functions of two balls and of lerp: what an implementation computes from any values of the operands
// lies in the result. And they are tight where the operands decide the result.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numbers>

#include "ops/ball_pairs.h"
#include "ops/profiles.h"
#include "tests/ops/ball_source.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = BallSource::Real;

constexpr uint64_t seed = 20250412;
constexpr int balls_a_case = 4000;
constexpr int members_a_ball = 10;
constexpr std::array float_dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};

const Profile& profile() { return *find_profile("eager"); }

struct Case {
  const char* name;
  Ball (*ball)(const BallMath& math, const Ball& a, const Ball& b);
  Real (*implementation)(BallSource& source, Real x, Real y);
  double reach_a;
  double reach_b;
  int decided_percent = 95;  // of the balls, at least
};

using DrawBall = Ball (*)(BallSource& source, double reach);
using DrawMember = Real (*)(BallSource& source, const Ball& ball);

Ball plain_ball(BallSource& source, double reach) { return source.ball(reach); }
Real plain_member(BallSource& source, const Ball& ball) { return source.member(ball); }

// Half of them may be something that is no number as well, and some are nothing else.
Ball odd_ball(BallSource& source, double reach) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  Ball ball = source.ball(reach);
  if (source.chance(15)) ball = Ball::exact(static_cast<double>(source.chance(50) ? infinity : -infinity));
  if (source.chance(5)) return Ball::exact(std::numeric_limits<double>::quiet_NaN());
  ball.may_nan = source.chance(30);
  ball.may_inf = source.chance(30);
  return ball;
}

Real odd_member(BallSource& source, const Ball& ball) {
  if (ball.may_nan && source.chance(30)) return std::numeric_limits<Real>::quiet_NaN();
  if (ball.may_inf && source.chance(30)) return std::copysign(std::numeric_limits<Real>::infinity(), source.unit());
  return source.member(ball);
}

void expect_sound(const Case& test, DType dtype, DrawBall draw_ball, DrawMember draw_member, int decided_percent) {
  const BallMath math(dtype, profile());
  BallSource source(dtype, seed);
  int outside = 0;
  int decided = 0;
  for (int i = 0; i < balls_a_case; ++i) {
    const Ball a = draw_ball(source, test.reach_a);
    const Ball b = draw_ball(source, test.reach_b);
    const Ball result =
        by_sign(a, [&](const Ball& x) { return by_sign(b, [&](const Ball& y) { return test.ball(math, x, y); }); });
    decided += result.decided();
    for (int k = 0; k < members_a_ball && outside < 3; ++k) {
      const Real x = draw_member(source, a);
      const Real y = draw_member(source, b);
      const Real got = test.implementation(source, x, y);
      if (inside(result, got)) continue;
      ++outside;
      ADD_FAILURE() << test.name << " into " << name(dtype) << ", seed " << seed << ", pair " << i << ": "
                    << static_cast<double>(got) << " of " << static_cast<double>(x) << " (" << a.mid << " by "
                    << a.radius << ") and " << static_cast<double>(y) << " (" << b.mid << " by " << b.radius
                    << ") is not in " << result.mid << " by " << result.radius;
    }
  }
  EXPECT_GE(decided * 100, balls_a_case * decided_percent) << test.name << " into " << name(dtype);
}

Real floored_rest(Real x, Real y) {
  const Real rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

// What a step leaves: handed on where nothing was taken away.
Real some_rest(BallSource& source, Real x, Real rest) { return rest == x ? x : source.stored(rest); }

// Exact where the quotient has no fraction to be told apart from.
Real floored_quotient(Real x, Real y) {
  const Real rest = std::fmod(x, y);
  const Real quotient = std::round((x - rest) / y);
  return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
}

// As a library function, and as eager computes squares, cubes, roots and reciprocals.
Real some_power(BallSource& source, Real x, Real y) {
  if (x == 0 || x == 1 || y == 0) return std::pow(x, y);
  const auto step = [&](Real value) { return source.stored(value); };
  if (source.chance(50)) {
    if (y == 2) return step(x * x);
    if (y == 3) return step(step(x * x) * x);
    if (y == -1) return step(1 / x);
    if (y == -2) return step(1 / step(x * x));
    if (y == 0.5L) return step(std::sqrt(x));
    if (y == -0.5L) return step(1 / step(std::sqrt(x)));
  }
  return std::isinf(x) || std::isinf(y) ? std::pow(x, y) : source.function(std::pow(x, y));
}

Real larger(Real x, Real y) { return std::isnan(x) || x > y ? x : y; }

// The stable form, each of its steps rounded or not and its functions off by what is allowed.
Real some_logaddexp(BallSource& source, Real x, Real y) {
  if (std::isinf(x) || std::isinf(y)) return larger(x, y);
  const Real power = source.function(std::exp(-source.stored(std::fabs(x - y))));
  return source.stored(larger(x, y) + source.function(std::log1p(power)));
}

Real some_logaddexp2(BallSource& source, Real x, Real y) {
  if (std::isinf(x) || std::isinf(y)) return larger(x, y);
  const Real power = source.function(std::exp2(-source.stored(std::fabs(x - y))));
  const Real log = source.function(std::log1p(power));
  return source.stored(larger(x, y) + source.stored(log * source.stored(std::numbers::log2e_v<Real>)));
}

Real some_xlogy(BallSource& source, Real x, Real y) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  return x == 0 || y == 1 ? Real{0} : source.stored(x * source.function(std::log(y)));
}

constexpr std::array cases = {
    Case{"fmax", ball_fmax, [](BallSource&, Real x, Real y) { return std::fmax(x, y); }, 4, 4},
    Case{"fmin", ball_fmin, [](BallSource&, Real x, Real y) { return std::fmin(x, y); }, 4, 4},
    Case{"fmod", ball_fmod, [](BallSource& s, Real x, Real y) { return some_rest(s, x, std::fmod(x, y)); }, 60, 5},
    Case{"remainder", ball_remainder, [](BallSource& s, Real x, Real y) { return some_rest(s, x, floored_rest(x, y)); },
         60, 5},
    Case{"floor_div",
         [](const BallMath& math, const Ball& a, const Ball& b) { return ball_floor_div(math, a, b, true); },
         [](BallSource& s, Real x, Real y) { return y == 0 ? x / (y + Real{0}) : s.stored(floored_quotient(x, y)); },
         60, 5, 80},
    Case{"div by a known zero",
         [](const BallMath& math, const Ball& a, const Ball& b) { return ball_div(math, a, b, true); },
         [](BallSource& s, Real x, Real y) { return s.stored(x / (y + Real{0})); }, 5, 1, 80},
    Case{"copysign",
         [](const BallMath& math, const Ball& a, const Ball& b) { return ball_copysign(math, a, b, false); },
         [](BallSource& s, Real x, Real y) {
           return std::copysign(x, y == 0 ? (s.chance(50) ? Real{-1} : Real{1}) : y);
         },
         4, 1, 100},
    Case{"heaviside", [](const BallMath&, const Ball& a, const Ball& b) { return ball_heaviside(a, b); },
         [](BallSource&, Real x, Real y) { return x == 0 ? y : static_cast<Real>(x > 0); }, 1, 3, 100},
    Case{"pow", [](const BallMath& math, const Ball& a, const Ball& b) { return ball_pow(math, a, b, false); },
         some_power, 4, 3, 40},
    Case{"pow of what is positive",
         [](const BallMath& math, const Ball& a, const Ball& b) { return ball_pow(math, math.abs(a), b, true); },
         [](BallSource& s, Real x, Real y) { return some_power(s, std::fabs(x), y); }, 4, 3, 85},
    Case{"atan2",
         [](const BallMath& math, const Ball& a, const Ball& b) { return ball_atan2(math, a, b, false, false); },
         [](BallSource& s, Real x, Real y) {
           const Real v = x == 0 && s.chance(50) ? Real{-0.0L} : x;
           const Real u = y == 0 && s.chance(50) ? Real{-0.0L} : y;
           return (v == 0 && u > 0) || std::isinf(u) ? std::atan2(v, u) : s.function(std::atan2(v, u));
         },
         4, 4, 100},
    Case{"hypot", ball_hypot, [](BallSource& s, Real x, Real y) { return s.function(std::hypot(x, y)); }, 9, 9, 100},
    Case{"logaddexp", ball_logaddexp, some_logaddexp, 9, 9, 100},
    Case{"logaddexp2", ball_logaddexp2, some_logaddexp2, 9, 9, 100},
    Case{"xlogy", [](const BallMath& math, const Ball& a, const Ball& b) { return ball_xlogy(math, a, math.abs(b)); },
         [](BallSource& s, Real x, Real y) { return some_xlogy(s, x, std::fabs(y)); }, 4, 9, 85},
};

TEST(BinarySoundness, WhateverConformsIsInside) {
  for (DType dtype : float_dtypes) {
    for (const Case& test : cases) expect_sound(test, dtype, plain_ball, plain_member, test.decided_percent);
  }
}

TEST(BinarySoundness, WhatIsNoNumberIsInsideToo) {
  for (DType dtype : {DType::F32, DType::F16}) {
    for (const Case& test : cases) expect_sound(test, dtype, odd_ball, odd_member, 20);
  }
}

// x^-2 as a square that overflows in f32, where the result does not.
TEST(BinarySoundness, AnOverflowingSquareIsForgiven) {
  const BallMath math(DType::F32, profile());
  const Ball small = ball_pow(math, Ball::exact(1e20), Ball::exact(-2), false);
  EXPECT_TRUE(in_ball(DType::F32, small, 0));
  EXPECT_TRUE(in_ball(DType::F32, small, round_to(DType::F32, 1e-40)));
}

// Eager's own floor of a quotient, step by step in f32.
TEST(BinarySoundness, TheFloorOfAQuotientAsEagerComputesIt) {
  const BallMath math(DType::F32, profile());
  BallSource source(DType::F32, seed + 1);
  for (int i = 0; i < 20000; ++i) {
    const double reach = std::ldexp(1.0, static_cast<int>(source.bits() % 30));
    const auto a = static_cast<float>(static_cast<double>(source.unit()) * reach);
    const auto b = static_cast<float>(static_cast<double>(source.unit()));
    if (b == 0) continue;
    const float rest = std::fmod(a, b);
    float quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    float floored = std::floor(quotient);
    if (quotient - floored > 0.5F) floored += 1;
    const Ball ball = ball_floor_div(math, Ball::exact(a), Ball::exact(b), false);
    EXPECT_TRUE(in_ball(DType::F32, ball, floored)) << a << " by " << b << ", seed " << seed + 1;
    if (std::fabs(floored) < 0x1p20F) {
      EXPECT_TRUE(ball.is_exact()) << a << " by " << b;
    }
  }
}

// lerp in both of its forms, each step rounded or not; those of halves are carried in f32.
Real some_lerp(BallSource& source, Real start, Real end, Real weight) {
  const DType carried = source.dtype() == DType::F64 ? DType::F64 : DType::F32;
  const auto step = [&](Real value) {
    return source.chance(50) ? static_cast<Real>(round_to(carried, static_cast<double>(value))) : value;
  };
  const Real distance = step(end - start);
  if (source.chance(50)) return step(start + step(weight * distance));
  return step(end - step(distance * step(1 - weight)));
}

TEST(BinarySoundness, BothFormsOfLerp) {
  for (DType dtype : float_dtypes) {
    BallSource source(dtype, seed + 2);
    OpHarness harness;
    const ValueId start = harness.add(dtype, Dims());
    const ValueId end = harness.add(dtype, Dims());
    const ValueId weight = harness.add(dtype, Dims());
    int outside = 0;
    for (int i = 0; i < 2000; ++i) {
      const Ball a = harness.ball(start) = source.ball(4);
      const Ball b = harness.ball(end) = source.ball(4);
      const Ball w = harness.ball(weight) = source.ball(2);
      const ValueId result = *harness.call("aten.lerp.Tensor", {start, end, weight});
      const Ball ball = harness.ball(result);
      ASSERT_TRUE(ball.decided());
      for (int k = 0; k < members_a_ball; ++k) {
        const Real got = source.stored(some_lerp(source, source.member(a), source.member(b), source.member(w)));
        if (!inside(ball, got) && ++outside < 4) {
          ADD_FAILURE() << name(dtype) << ", seed " << seed + 2 << ", triple " << i << ": " << static_cast<double>(got)
                        << " is not in " << ball.mid << " by " << ball.radius;
        }
      }
    }
    EXPECT_EQ(outside, 0) << name(dtype);
  }
}

// A divisor that reaches beyond f64's numbers has no end to take the remainder by.
TEST(RemainderSoundness, AnEndBeyondDoubleIsUndecided) {
  const BallMath math(DType::F64, profile());
  const Ball divisor = {std::numeric_limits<double>::max(), 1e300, false, true, Undecided::No};
  EXPECT_FALSE(ball_remainder(math, Ball::exact(-0.75), divisor).decided());
}

TEST(BinaryTightness, StepsOfExactOperandsAreExact) {
  const BallMath math(DType::F32, profile());
  const double tenth = round_to(DType::F32, 0.1);
  const Ball quotient = ball_floor_div(math, Ball::exact(1), Ball::exact(tenth), false);
  EXPECT_TRUE(quotient.is_exact());
  EXPECT_EQ(quotient.mid, 9) << "the quotient is under 10, although it rounds to it";
  EXPECT_TRUE(ball_fmod(math, Ball::exact(1), Ball::exact(tenth)).is_exact());
  EXPECT_TRUE(ball_remainder(math, Ball::exact(-7.5), Ball::exact(2)).is_exact());
  EXPECT_EQ(ball_remainder(math, Ball::exact(-7.5), Ball::exact(2)).mid, 0.5);
}

TEST(BinaryTightness, InexactOperandsAwayFromAStepKeepTheirRadius) {
  const BallMath math(DType::F32, profile());
  const Ball x{7.5, 1e-6, false, false, Undecided::No};
  EXPECT_LT(ball_fmod(math, x, Ball::exact(2)).radius, 2e-6);
  EXPECT_LT(ball_remainder(math, x, Ball::exact(-2)).radius, 2e-6);
  EXPECT_TRUE(ball_floor_div(math, x, Ball::exact(2), false).is_exact());
  const Ball on_a_step{8, 1e-6, false, false, Undecided::No};
  const Ball either = ball_floor_div(math, on_a_step, Ball::exact(2), false);
  EXPECT_TRUE(inside(either, 3) && inside(either, 4));
  EXPECT_FALSE(inside(either, 5));
  EXPECT_FALSE(inside(ball_fmod(math, on_a_step, Ball::exact(2)), -0.5L));
}

TEST(BinaryTightness, AFunctionSixUlpOffIsCaught) {
  const BallMath math(DType::F32, profile());
  BallSource source(DType::F32, seed + 3);
  int caught = 0;
  int tried = 0;
  for (int i = 0; i < 1000; ++i) {
    const double a = round_to(DType::F32, std::fabs(static_cast<double>(source.unit())) * 5 + 0.1);
    const double b = round_to(DType::F32, static_cast<double>(source.unit()) * 3);
    const std::array pairs = {
        std::pair{ball_pow(math, Ball::exact(a), Ball::exact(b), false), std::pow(a, b)},
        std::pair{ball_atan2(math, Ball::exact(b), Ball::exact(a), false, false), std::atan2(b, a)},
        std::pair{ball_hypot(math, Ball::exact(a), Ball::exact(b)), std::hypot(a, b)}};
    for (const auto& [ball, right] : pairs) {
      double wrong = round_to(DType::F32, right);
      EXPECT_TRUE(in_ball(DType::F32, ball, wrong));
      for (int k = 0; k < 6; ++k) wrong = next_up(DType::F32, wrong);
      ++tried;
      caught += !in_ball(DType::F32, ball, wrong);
    }
  }
  // Just under a power of two six steps are three of the next binade's.
  EXPECT_GE(caught, tried * 9 / 10);
}

// What is left to divide once the rest is taken off may be flushed.
TEST(FloorDivision, OfWhatMayBeFlushed) {
  Profile flushing = profile();
  flushing.flush_to_zero = true;
  const Ball small = Ball::exact(info(DType::BF16).smallest_normal / 2);
  const Ball half = Ball::exact(small.mid / 2);
  const auto divided = [&](const Profile& by, const Ball& a, const Ball& b) {
    return ball_floor_div(BallMath(DType::BF16, by), a, b, true);
  };
  EXPECT_EQ(divided(profile(), small, half).mid, 2);
  EXPECT_TRUE(divided(profile(), small, half).is_exact());
  EXPECT_TRUE(in_ball(DType::BF16, divided(flushing, small, half), 0));
  EXPECT_TRUE(in_ball(DType::BF16, divided(flushing, small, half), 2));
  // Both ways to see it: with an operand that is not exact as well.
  const Ball around = {small.mid, small.mid * 0x1p-20, false, false, Undecided::No};
  EXPECT_TRUE(in_ball(DType::BF16, divided(flushing, around, small), 0));
  OpHarness harness(flushing);
  const ValueId x = harness.add(DType::BF16, {1}, {small.mid});
  EXPECT_TRUE(in_ball(DType::BF16, harness.ball(*harness.call("aten.floor_divide.default", {x, x})), 0));
  // The whole is a rest, and nothing is divided.
  EXPECT_EQ(divided(flushing, Ball::exact(-half.mid), small).mid, -1);
  EXPECT_TRUE(divided(flushing, Ball::exact(-half.mid), small).is_exact());
}

}  // namespace
}  // namespace parallax
