// Soundness of the functions of one ball: what an implementation computes from any value of the operand, each step
// rounded or not and each function off by as much as the profile allows, lies in the result. And they are not so wide
// that this says nothing.
#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "ops/ball_activations.h"
#include "ops/ball_functions.h"
#include "ops/ball_special.h"
#include "ops/profiles.h"
#include "tests/ops/ball_source.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = BallSource::Real;

constexpr uint64_t seed = 20250311;
constexpr int balls_a_case = 3000;
constexpr int members_a_ball = 10;
constexpr Real pi = std::numbers::pi_v<Real>;

const Profile& profile() { return *find_profile("eager"); }

struct Case {
  const char* name;
  Ball (*ball)(const BallMath& math, const Ball& x);
  Real (*implementation)(BallSource& source, Real x);
  double reach;
  int decided_percent = 95;  // of the balls, at least
  bool wide = false;         // its error is one of its terms, not of its result, or more than 10 units
};

void expect_sound(const Case& test, DType dtype) {
  const BallMath math(dtype, profile());
  BallSource source(dtype, seed);
  int outside = 0;
  int decided = 0;
  for (int i = 0; i < balls_a_case; ++i) {
    const Ball x = source.ball(test.reach);
    const Ball result = test.ball(math, x);
    decided += result.decided();
    for (int k = 0; k < members_a_ball && outside < 3; ++k) {
      const Real member = source.member(x);
      const Real got = test.implementation(source, member);
      if (inside(result, got)) continue;
      ++outside;
      ADD_FAILURE() << test.name << " into " << name(dtype) << ", seed " << seed << ", ball " << i << ": "
                    << static_cast<double>(got) << " of " << static_cast<double>(member) << " is not in " << result.mid
                    << " by " << result.radius;
    }
  }
  EXPECT_GE(decided * 100, balls_a_case * test.decided_percent) << test.name << " into " << name(dtype);
}

Real logistic(Real x) { return 1 / (1 + std::exp(-x)); }

const std::array functions = {
    Case{"exp2", ball_exp2, [](BallSource& s, Real x) { return s.function(std::exp2(x)); }, 12},
    Case{"expm1", ball_expm1, [](BallSource& s, Real x) { return s.function(std::expm1(x)); }, 10},
    Case{"log", ball_log, [](BallSource& s, Real x) { return s.function(std::log(x)); }, 20},
    Case{"log2", ball_log2, [](BallSource& s, Real x) { return s.function(std::log2(x)); }, 20},
    Case{"log10", ball_log10, [](BallSource& s, Real x) { return s.function(std::log10(x)); }, 20},
    Case{"log1p", ball_log1p, [](BallSource& s, Real x) { return s.function(std::log1p(x)); }, 3},
    Case{"rsqrt", [](const BallMath& math, const Ball& x) { return ball_rsqrt(math, x, false); },
         [](BallSource& s, Real x) { return s.function(1 / std::sqrt(x)); }, 20},
    Case{"reciprocal", [](const BallMath& math, const Ball& x) { return ball_reciprocal(math, x, false); },
         [](BallSource& s, Real x) { return s.stored(1 / x); }, 20, 80},
    Case{"tan", ball_tan, [](BallSource& s, Real x) { return s.function(std::tan(x)); }, 10, 70},
    Case{"asin", ball_asin, [](BallSource& s, Real x) { return s.function(std::asin(x)); }, 1.2},
    Case{"atan", ball_atan, [](BallSource& s, Real x) { return s.function(std::atan(x)); }, 20},
    Case{"sinh", ball_sinh, [](BallSource& s, Real x) { return s.function(std::sinh(x)); }, 10},
    Case{"cosh", ball_cosh, [](BallSource& s, Real x) { return s.function(std::cosh(x)); }, 10},
    Case{"asinh", ball_asinh, [](BallSource& s, Real x) { return s.function(std::asinh(x)); }, 20},
    Case{"atanh", ball_atanh, [](BallSource& s, Real x) { return s.function(std::atanh(x)); }, 1.2},
    Case{"erf", ball_erf, [](BallSource& s, Real x) { return s.function(std::erf(x)); }, 5},
    Case{"erfc", ball_erfc, [](BallSource& s, Real x) { return s.function(std::erfc(x)); }, 8},
    Case{"sinc", ball_sinc,
         [](BallSource& s, Real x) {
           const Real pi_x = s.number(std::numbers::pi) * x;
           // Not flushed: nobody divides 0 by 0 here.
           const Real product = std::fabs(pi_x) < 1e-4 ? pi_x * s.near_one() : s.stored(pi_x);
           return x == 0 ? 1 : s.stored(std::sin(product) * s.near_one() / product);
         },
         6, 90, true},
    Case{"lgamma", ball_lgamma,
         [](BallSource& s, Real x) {
           if (x > 0 || x == std::floor(x) || s.chance(50)) return s.function(std::lgamma(x));
           const Real reflected = s.function(std::log(pi / std::fabs(x * std::sin(pi * x))));
           return reflected - s.function(std::lgamma(-x));
         },
         20, 60},
    Case{"digamma", [](const BallMath& math, const Ball& x) { return ball_digamma(math, x, false); },
         [](BallSource& s, Real x) {
           if (x == 0) return std::numeric_limits<Real>::infinity();
           if (x < 0 && x == std::floor(x)) return std::numeric_limits<Real>::quiet_NaN();
           // Up to 10 and from there by Stirling's series, each term rounded; backwards by the reflection.
           Real reflected = 0;
           if (x < 0) {
             const Real angle = s.stored(s.number(std::numbers::pi) * std::fmod(x, Real{1}));
             reflected = s.stored(s.number(std::numbers::pi) / s.function(std::tan(angle)));
             x = 1 - x;
           }
           Real sum = 0;
           for (; x < 10; ++x) sum -= s.stored(1 / x);
           const Real square = 1 / (x * x);
           Real series = 0;
           for (Real c : {1 / 12.0L, 691 / 32760.0L, 1 / 132.0L, 1 / 240.0L, 1 / 252.0L, 1 / 120.0L, 1 / 12.0L}) {
             series = square * (c - series);
           }
           return s.stored(s.stored(sum + s.function(std::log(x))) - 1 / (2 * x) - series) - reflected;
         },
         12, 60, true},
    Case{"erfcx", ball_erfcx, [](BallSource& s, Real x) { return s.function(std::exp(x * x) * std::erfc(x)); }, 5, 95},
    Case{"erfinv", ball_erfinv,
         [](BallSource& s, Real x) {
           if (std::fabs(x) >= 1) return x * std::numeric_limits<Real>::infinity() * (std::fabs(x) == 1 ? 1 : 0);
           // Bisection: nothing of it is in the code under test.
           Real low = 0;
           Real high = std::fabs(x) < 0.5 ? std::fabs(x) : 10;
           for (int i = 0; i < 120; ++i) {
             const Real middle = (low + high) / 2;
             (std::erf(middle) < std::fabs(x) ? low : high) = middle;
           }
           return s.function(std::copysign(low, x));
         },
         0.95},
    Case{"ndtr", ball_ndtr,
         [](BallSource& s, Real x) {
           const Real erf = s.function(std::erf(s.stored(x * s.number(std::numbers::sqrt2 / 2))));
           return s.stored(s.stored(1 + erf) / 2);
         },
         8, 95, true},
    Case{"entr", ball_entr,
         [](BallSource& s, Real x) {
           if (x == 0) return Real{0};
           if (x < 0) return -std::numeric_limits<Real>::infinity();
           return s.stored(-x * s.function(std::log(x)));
         },
         5},
    Case{"i0", ball_i0, [](BallSource& s, Real x) { return s.function(std::cyl_bessel_i(Real{0}, std::fabs(x))); }, 9},
    Case{"i1", ball_i1,
         [](BallSource& s, Real x) {
           return s.function(std::copysign(std::cyl_bessel_i(Real{1}, std::fabs(x)), x));
         },
         9, 95, true},
    Case{"i0e", ball_i0e,
         [](BallSource& s, Real x) {
           return s.function(std::cyl_bessel_i(Real{0}, std::fabs(x)) * std::exp(-std::fabs(x)));
         },
         40},
    Case{"i1e", ball_i1e,
         [](BallSource& s, Real x) {
           return s.function(std::copysign(std::cyl_bessel_i(Real{1}, std::fabs(x)) * std::exp(-std::fabs(x)), x));
         },
         40},
    Case{"floor", ball_floor, [](BallSource&, Real x) { return std::floor(x); }, 20},
    Case{"ceil", ball_ceil, [](BallSource&, Real x) { return std::ceil(x); }, 20},
    Case{"trunc", ball_trunc, [](BallSource&, Real x) { return std::trunc(x); }, 3000},
    Case{"round", ball_round, [](BallSource& s, Real x) { return s.stored(std::nearbyint(x)); }, 3000},
    Case{"frac", ball_frac, [](BallSource& s, Real x) { return s.stored(x - std::trunc(x)); }, 20},
    Case{"sign", ball_sign, [](BallSource&, Real x) { return Real((x > 0) - (x < 0)); }, 20},
};

TEST(UnarySoundness, Functions) {
  for (const Case& test : functions) {
    for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) expect_sound(test, dtype);
  }
}

// A chain as the formula has it, with all its roundings.
const std::array activations = {
    Case{"gelu", ball_gelu,
         [](BallSource& s, Real x) {
           const Real erf = s.function(std::erf(s.stored(x * s.number(std::numbers::sqrt2 / 2))));
           return s.chance(50) ? s.stored(s.stored(x / 2) * s.stored(1 + erf))
                               : s.stored(s.stored(x * s.stored(1 + erf)) / 2);
         },
         10},
    Case{"gelu by tanh", ball_gelu_tanh,
         [](BallSource& s, Real x) {
           const Real cube = s.stored(s.stored(x * x) * x);
           const Real sum = s.stored(x + s.stored(s.number(0.044715) * cube));
           const Real argument = s.stored(s.number(std::numbers::sqrt2 * std::numbers::inv_sqrtpi) * sum);
           return s.stored(s.stored(x / 2) * s.stored(1 + s.function(std::tanh(argument))));
         },
         10},
    Case{"silu", ball_silu, [](BallSource& s, Real x) { return s.stored(x * s.function(logistic(x))); }, 20},
    Case{"mish", ball_mish,
         [](BallSource& s, Real x) {
           const Real bent = s.function(std::log1p(s.function(std::exp(x))));
           return s.stored(x * s.function(std::tanh(bent)));
         },
         10},
    Case{"log_sigmoid", ball_log_sigmoid,
         [](BallSource& s, Real x) {
           const Real bent = s.function(std::log1p(s.function(std::exp(-std::fabs(x)))));
           return s.stored(std::min<Real>(x, 0) - bent);
         },
         20},
    Case{"elu",
         [](const BallMath& math, const Ball& x) {
           return ball_elu(math, x, math.mul(math.scalar(1.1), math.scalar(0.7)), math.scalar(0.3), math.scalar(0.7));
         },
         [](BallSource& s, Real x) {
           const Real above = s.number(0.7);
           if (x > 0) return s.stored(x * above);
           const Real coefficient = s.stored(s.number(1.1) * above);
           return s.stored(coefficient * s.function(std::expm1(s.stored(x * s.number(0.3)))));
         },
         10},
    Case{"leaky_relu", [](const BallMath& math, const Ball& x) { return ball_leaky_relu(math, x, math.scalar(0.01)); },
         [](BallSource& s, Real x) { return x > 0 ? x : s.stored(x * s.number(0.01)); }, 20},
    Case{"softplus",
         [](const BallMath& math, const Ball& x) { return ball_softplus(math, x, math.scalar(0.7), math.scalar(5)); },
         [](BallSource& s, Real x) {
           const Real beta = s.number(0.7);
           const Real scaled = s.stored(x * beta);
           return scaled > 5 ? x : s.stored(s.function(std::log1p(s.function(std::exp(scaled)))) / beta);
         },
         12},
    Case{"hardswish", ball_hardswish,
         [](BallSource& s, Real x) {
           const Real gate = std::clamp<Real>(s.stored(x + 3), 0, 6);
           const Real sixth = s.rounded(1.0L / 6);
           if (s.chance(50)) return s.stored(s.stored(x * gate) / 6);
           return s.chance(50) ? s.stored(s.stored(x * gate) * sixth) : s.stored(s.stored(x * sixth) * gate);
         },
         10},
    Case{"hardsigmoid", ball_hardsigmoid,
         [](BallSource& s, Real x) {
           const Real gate = std::clamp<Real>(s.stored(x + 3), 0, 6);
           return s.chance(50) ? s.stored(gate / 6) : s.rounded(gate * s.rounded(1.0L / 6));
         },
         10},
    Case{"hardshrink", [](const BallMath& math, const Ball& x) { return ball_hardshrink(math, x, math.scalar(1.5)); },
         [](BallSource&, Real x) { return std::fabs(x) <= 1.5 ? 0 : x; }, 4},
    Case{"softshrink", [](const BallMath& math, const Ball& x) { return ball_softshrink(math, x, math.scalar(0.3)); },
         [](BallSource& s, Real x) {
           const Real lambda = s.number(0.3);
           return x > lambda ? s.stored(x - lambda) : x < -lambda ? s.stored(x + lambda) : 0;
         },
         4},
    Case{"threshold",
         [](const BallMath& math, const Ball& x) { return ball_threshold(x, math.scalar(0.1), math.scalar(20)); },
         [](BallSource& s, Real x) { return x > s.number(0.1) ? x : 20; }, 4},
};

TEST(UnarySoundness, Activations) {
  for (const Case& test : activations) {
    for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) expect_sound(test, dtype);
  }
}

// Away from cancellation, a result of an exact operand that is 16 units off is caught.
TEST(UnaryTightness, SixteenUlpOffIsCaught) {
  for (const Case& test : functions) {
    if (test.wide) continue;
    const BallMath math(DType::F32, profile());
    BallSource source(DType::F32, seed + 1);
    int tried = 0;
    int caught = 0;
    for (int i = 0; i < 500; ++i) {
      const double x = round_to(DType::F32, (static_cast<double>(source.unit()) + 1) * test.reach / 2);
      const Ball result = test.ball(math, Ball::exact(x));
      double wrong = round_to(DType::F32, result.mid);
      if (!result.decided() || !std::isfinite(wrong)) continue;
      for (int k = 0; k < 16; ++k) wrong = next_up(DType::F32, wrong);
      ++tried;
      caught += !in_ball(DType::F32, result, wrong);
    }
    EXPECT_GT(tried, 300) << test.name;
    EXPECT_GE(caught, tried * 95 / 100) << test.name;
  }
}

// At the points where they turn, a small radius gives a much smaller one.
TEST(UnaryTightness, SmoothFunctionsAreFlatWhereTheyTurn) {
  const BallMath math(DType::F64, profile());
  const auto radius_at = [&](auto function, double x) {
    return function(math, Ball{x, 1e-4, false, false, Undecided::No}).radius;
  };
  EXPECT_LT(radius_at(ball_gelu, -0.7517915246935645), 1e-7);
  EXPECT_LT(radius_at(ball_silu, -1.278464542761074), 1e-7);
  EXPECT_LT(radius_at(ball_mish, -1.1924312145154305), 1e-7);
  EXPECT_LT(radius_at(ball_lgamma, 1.4616321449683622), 1e-7);
}

// A sine of the smallest numbers is units of them off, which their quotient shows; flushed to 0 it shows nothing.
TEST(SineQuotient, OfWhatMayBeSubnormal) {
  const double least = info(DType::F32).smallest_subnormal;
  const Ball x = {0, 8 * least, false, false, Undecided::No};
  for (Ball (*quotient)(const BallMath& math, const Ball& x) : {ball_sinc, ball_sine_quotient}) {
    EXPECT_TRUE(inside(quotient(BallMath(DType::F32, profile()), x), (1 + 4) * least / least));
    Profile flushing = profile();
    flushing.flush_to_zero = true;
    EXPECT_FALSE(quotient(BallMath(DType::F32, flushing), x).decided());
    EXPECT_EQ(quotient(BallMath(DType::F32, flushing), Ball::exact(0)).mid, 1);
  }
}

}  // namespace
}  // namespace parallax
