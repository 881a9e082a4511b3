// Soundness of the ball arithmetic: whatever a conforming implementation computes, rounding after each operation or
// not, in any order, with functions off by as much as the profile allows, lies in the ball. And tightness: what does
// not conform is caught.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "ops/ball_softmax.h"
#include "ops/ball_sum.h"
#include "ops/profiles.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

// Wider than double, so that it can tell a double's rounding error.
using Real = long double;

const Profile& profile() { return *find_profile("eager"); }
constexpr std::array float_dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};

Real rounded(DType dtype, Real x) {
  if (dtype == DType::F64) return static_cast<double>(x);
  // Rounding to f32 and narrower through double moves a value only at a tie, by less than the radius's own slack.
  return static_cast<Real>(round_to(dtype, static_cast<double>(x)));
}

bool inside(const Ball& ball, Real got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got)) return ball.may_inf || static_cast<Real>(ball.mid) == got;
  return std::isfinite(ball.mid) && std::fabs(got - static_cast<Real>(ball.mid)) <= static_cast<Real>(ball.radius);
}

// Draws balls and what implementations may hold for them.
class Source {
 public:
  Source(DType dtype, uint64_t seed) : dtype_(dtype), random_(seed) {}

  Real unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  // Half of them exact, many of few bits, some of them wide, all in a range where products do not overflow f16.
  Ball ball(double reach = 20) {
    double mid = static_cast<double>(unit()) * reach;
    if (chance(30)) mid = std::round(mid);
    if (chance(5)) mid *= 1e-6;
    Ball drawn = Ball::exact(round_to(dtype_, mid));
    if (chance(50)) {
      drawn.mid = mid;
      drawn.radius = std::fabs(mid) * std::ldexp(1.0, -static_cast<int>(random_() % 24)) + 1e-12;
    }
    return drawn;
  }

  // A value of the ball: an end, the centre or between.
  Real member(const Ball& ball) {
    if (ball.radius == 0) return ball.mid;
    const Real place = chance(20) ? std::copysign(Real{1}, unit()) : chance(10) ? 0 : unit();
    // Every radius that arithmetic makes has this margin, for the double rounding of an end.
    const Real margin = 0x1p-52L * std::fabs(static_cast<Real>(ball.mid));
    return static_cast<Real>(ball.mid) + place * (static_cast<Real>(ball.radius) - margin);
  }

  // What an implementation that may or may not round here goes on with.
  Real stored(Real x) { return chance(50) ? rounded(dtype_, x) : x; }

  // A function's result as far off as the profile allows: before it is rounded, or as it is.
  Real perturbed(Real value, Real spared = 0) {
    const Real ulp =
        value == 0 ? 0 : std::ldexp(Real{2} * static_cast<Real>(info(dtype_).unit_roundoff), std::ilogb(value));
    const Real allowed = static_cast<Real>(profile().error_of(FunctionKind::Other, DType::F32).ulp) - spared;
    return chance(50) ? value + unit() * allowed * ulp : rounded(dtype_, value + unit() * (allowed - 1) * ulp);
  }

  std::mt19937_64& random() { return random_; }

 private:
  DType dtype_;
  std::mt19937_64 random_;
};

constexpr uint64_t seed = 20240607;
constexpr int balls_a_case = 4000;
constexpr int members_a_ball = 10;

struct BinaryCase {
  const char* name;
  Ball (BallMath::*operation)(const Ball&, const Ball&) const;
  Real (*real)(Real a, Real b);
  bool rounds;  // the others hand an operand on
};

TEST(BallSoundness, BinaryOperations) {
  const std::array cases = {
      BinaryCase{"add", &BallMath::add, [](Real a, Real b) { return a + b; }, true},
      BinaryCase{"sub", &BallMath::sub, [](Real a, Real b) { return a - b; }, true},
      BinaryCase{"mul", &BallMath::mul, [](Real a, Real b) { return a * b; }, true},
      BinaryCase{"div", &BallMath::div, [](Real a, Real b) { return a / b; }, true},
      BinaryCase{"maximum", &BallMath::maximum, [](Real a, Real b) { return std::max(a, b); }, false},
      BinaryCase{"minimum", &BallMath::minimum, [](Real a, Real b) { return std::min(a, b); }, false},
  };
  int64_t outside = 0;
  for (DType dtype : float_dtypes) {
    const BallMath math(dtype, profile());
    for (const BinaryCase& test : cases) {
      Source source(dtype, seed);
      for (int i = 0; i < balls_a_case; ++i) {
        const Ball a = source.ball();
        const Ball b = source.ball();
        const Ball result = (math.*test.operation)(a, b);
        for (int k = 0; k < members_a_ball; ++k) {
          const Real x = source.member(a);
          const Real y = source.member(b);
          const Real value = test.real(x, y);
          if (inside(result, test.rounds ? source.stored(value) : value)) continue;
          if (++outside < 5)
            ADD_FAILURE() << test.name << " into " << name(dtype) << ", seed " << seed << ", ball " << i;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

struct UnaryCase {
  const char* name;
  Ball (BallMath::*operation)(const Ball&) const;
  Real (*real)(Real x);
  bool function;  // implementations may be off by function_ulp; the others hand their operand on, or are exact
  double reach;
};

constexpr std::array unary_cases = {
    UnaryCase{"neg", &BallMath::neg, [](Real x) { return -x; }, false, 20},
    UnaryCase{"abs", &BallMath::abs, [](Real x) { return std::fabs(x); }, false, 20},
    UnaryCase{"relu", &BallMath::relu, [](Real x) { return std::max(x, Real{0}); }, false, 20},
    UnaryCase{"sqrt", &BallMath::sqrt, [](Real x) { return std::sqrt(x); }, false, 20},
    UnaryCase{"exp", &BallMath::exp, [](Real x) { return std::exp(x); }, true, 10},
    UnaryCase{"sigmoid", &BallMath::sigmoid, [](Real x) { return 1 / (1 + std::exp(-x)); }, true, 30},
    UnaryCase{"tanh", &BallMath::tanh, [](Real x) { return std::tanh(x); }, true, 10},
    UnaryCase{"acos", &BallMath::acos, [](Real x) { return std::acos(x); }, true, 1.3},
    UnaryCase{"acosh", &BallMath::acosh, [](Real x) { return std::acosh(x); }, true, 20},
    UnaryCase{"sin", &BallMath::sin, [](Real x) { return std::sin(x); }, true, 20},
    UnaryCase{"cos", &BallMath::cos, [](Real x) { return std::cos(x); }, true, 20},
};

TEST(BallSoundness, Functions) {
  int64_t outside = 0;
  for (DType dtype : float_dtypes) {
    const BallMath math(dtype, profile());
    for (const UnaryCase& test : unary_cases) {
      Source source(dtype, seed + 1);
      for (int i = 0; i < balls_a_case; ++i) {
        const Ball x = source.ball(test.reach);
        const Ball result = (math.*test.operation)(x);
        for (int k = 0; k < members_a_ball; ++k) {
          const Real value = test.real(source.member(x));
          const Real got = test.function ? source.perturbed(value) : value;
          if (inside(result, got)) continue;
          if (++outside < 5)
            ADD_FAILURE() << test.name << " into " << name(dtype) << ", seed " << seed + 1 << ", ball " << i;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

// Always rounded: one that is kept wider has no more error than its rounding is allowed.
Real logistic(Source& source, DType dtype, Real x) {
  return rounded(dtype, source.perturbed(1 / (1 + std::exp(-x)), 1));
}

// Whole expressions, so that radii are fed back into the operations that made them.
TEST(BallSoundness, Chains) {
  struct Step {
    int operation;
    std::size_t left;
    std::size_t right;
  };
  constexpr int chains = 3000;
  constexpr std::size_t steps = 6;
  int64_t outside = 0;
  for (DType dtype : {DType::F32, DType::F16, DType::F64}) {
    const BallMath math(dtype, profile());
    Source source(dtype, seed + 2);
    for (int i = 0; i < chains; ++i) {
      std::vector<Ball> balls;
      for (int k = 0; k < 3; ++k) balls.push_back(Ball::exact(round_to(dtype, static_cast<double>(source.unit()) * 2)));
      std::vector<Step> program;
      for (std::size_t k = 0; k < steps; ++k) {
        const Step step{static_cast<int>(source.random()() % 6), source.random()() % balls.size(),
                        source.random()() % balls.size()};
        const Ball& a = balls[step.left];
        const Ball& b = balls[step.right];
        const std::array results = {math.add(a, b),     math.sub(a, b),  math.mul(a, b),
                                    math.maximum(a, b), math.sigmoid(a), math.relu(a)};
        program.push_back(step);
        balls.push_back(results[static_cast<std::size_t>(step.operation)]);
      }
      for (int implementation = 0; implementation < 6; ++implementation) {
        std::vector<Real> values;
        for (int k = 0; k < 3; ++k) values.push_back(balls[static_cast<std::size_t>(k)].mid);
        for (const Step& step : program) {
          const Real a = values[step.left];
          const Real b = values[step.right];
          const std::array results = {source.stored(a + b), source.stored(a - b),       source.stored(a * b),
                                      std::max(a, b),       logistic(source, dtype, a), std::max(a, Real{0})};
          values.push_back(results[static_cast<std::size_t>(step.operation)]);
        }
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (inside(balls[k], values[k])) continue;
          if (++outside < 5)
            ADD_FAILURE() << "chain " << i << " in " << name(dtype) << ", seed " << seed + 2 << ", step " << k;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

// Any order, and every addition rounded, none, or some.
Real summed_in_some_order(Source& source, DType accumulator, std::vector<Real> terms) {
  std::shuffle(terms.begin(), terms.end(), source.random());
  const bool pairwise = source.chance(50);
  while (terms.size() > 1) {
    const std::size_t k = pairwise ? source.random()() % (terms.size() - 1) : terms.size() - 2;
    const Real sum = terms[k] + terms[k + 1];
    terms[k] = source.chance(80) ? rounded(accumulator, sum) : sum;
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  }
  return terms.empty() ? 0 : terms[0];
}

TEST(BallSoundness, SumsInAnyOrder) {
  int64_t outside = 0;
  for (DType dtype : float_dtypes) {
    const BallMath math(dtype, profile());
    const DType accumulator = size_of(dtype) == 2 ? DType::F32 : dtype;
    Source source(dtype, seed + 3);
    for (int i = 0; i < 2000; ++i) {
      std::vector<Ball> terms(source.random()() % 24);
      BallSum sum(math);
      for (Ball& term : terms) sum.add(term = source.ball());
      const Ball result = sum.result();
      for (int k = 0; k < 6; ++k) {
        std::vector<Real> values;
        for (const Ball& term : terms) values.push_back(source.member(term));
        Real got = summed_in_some_order(source, accumulator, values);
        if (accumulator != dtype) got = source.stored(got);
        if (!inside(result, got) && ++outside < 5) {
          ADD_FAILURE() << "sum " << i << " in " << name(dtype) << ", seed " << seed + 3;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

TEST(BallSoundness, ProductsInAnyOrder) {
  int64_t outside = 0;
  for (DType dtype : float_dtypes) {
    const BallMath math(dtype, profile());
    Source source(dtype, seed + 4);
    for (int i = 0; i < 3000; ++i) {
      std::vector<Ball> factors(source.random()() % 8);
      BallProduct product(math);
      for (Ball& factor : factors) product.add(factor = source.ball(3));
      const Ball result = product.result();
      for (int k = 0; k < 6; ++k) {
        std::vector<Real> values;
        for (const Ball& factor : factors) values.push_back(source.member(factor));
        std::shuffle(values.begin(), values.end(), source.random());
        Real got = values.empty() ? 1 : values[0];
        for (std::size_t j = 1; j < values.size(); ++j) got = source.stored(got * values[j]);
        if (!inside(result, got) && ++outside < 5) {
          ADD_FAILURE() << "product " << i << " in " << name(dtype) << ", seed " << seed + 4;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

// Half of an odd subnormal is no double.
TEST(BallSoundness, IntervalsOfSubnormalsHoldTheirEnds) {
  for (int steps = 1; steps < 40; ++steps) {
    const double end = steps * 0x1p-1074;
    EXPECT_GE(ball_of_interval(0, end).high(), end);
    EXPECT_EQ(ball_of_interval(0, end).low(), 0);
    EXPECT_LE(ball_of_interval(-end, 0).low(), -end);
    EXPECT_EQ(ball_of_interval(-end, 0).high(), 0);
  }
}

// A radius whose product with a number vanishes in double still leaves both smallest subnormals open.
TEST(BallSoundness, ProductsWhoseRadiusVanishes) {
  const BallMath math(DType::F64, profile());
  const Ball near_zero = {0, 0x1p-600, false, false, Undecided::No};
  for (const Ball& product :
       {math.mul(near_zero, Ball::exact(0x1p-480)), math.mul(Ball::exact(-0x1p-480), near_zero)}) {
    EXPECT_TRUE(inside(product, 0x1p-1074L));
    EXPECT_TRUE(inside(product, -0x1p-1074L));
  }
  EXPECT_TRUE(math.mul(near_zero, Ball::exact(0)).is_exact());
}

// Toward zero a partial product stays at the largest number.
TEST(BallSoundness, ProductsThatSaturate) {
  Profile open = profile();
  open.rounding_mode_open = true;
  const BallMath math(DType::F32, open);
  BallProduct product(math);
  for (const double factor : {0x1p100, 0x1p100, 0x1p-120}) product.add(Ball::exact(factor));
  EXPECT_TRUE(inside(product.result(), info(DType::F32).max_finite * 0x1p-120));
  EXPECT_TRUE(inside(product.result(), 0x1p80));
}

// On the grid a sum is proved to the last bit, and whatever the order, there is nothing to forgive.
// Partial sums of multiples of 1/2 are no subnormals, so that nothing is flushed.
TEST(BallSum, IsExactWherePartialSumsCannotBeSubnormal) {
  Profile flushing = *find_profile("eager");
  flushing.flush_to_zero = true;
  const BallMath math(DType::F32, flushing);
  const auto sum_of = [&](std::initializer_list<double> terms) {
    BallSum sum(math);
    for (const double term : terms) sum.add(Ball::exact(term));
    return sum.result();
  };
  EXPECT_TRUE(is_same(sum_of({0, 0}), Ball::exact(0)));
  EXPECT_TRUE(is_same(sum_of({1.5, -1, 7}), Ball::exact(7.5)));
  EXPECT_TRUE(is_same(sum_of({0x1p-125, -0x1p-126}), Ball::exact(0x1p-126)));
  EXPECT_GT(sum_of({0x1.8p-126, -0x1p-126, 0x1p-126}).radius, 0) << "the first two leave a subnormal";
}

TEST(BallTightness, ExactOperandsOnAGridHaveNoRadius) {
  const BallMath math(DType::F32, profile());
  EXPECT_EQ(math.add(Ball::exact(1.5), Ball::exact(2.25)).radius, 0);
  EXPECT_EQ(math.mul(Ball::exact(1.5), Ball::exact(-2.25)).radius, 0);
  EXPECT_EQ(math.div(Ball::exact(1), Ball::exact(8)).radius, 0);
  EXPECT_EQ(math.div(Ball::exact(0), Ball{3, 0.5, false, false, Undecided::No}).radius, 0);
  EXPECT_EQ(math.sqrt(Ball::exact(2.25)).radius, 0);
  EXPECT_GT(math.add(Ball::exact(1), Ball::exact(0x1p-30)).radius, 0);
  EXPECT_GT(math.mul(Ball::exact(0x1.000002p0), Ball::exact(0x1.000002p0)).radius, 0);
  EXPECT_GT(math.div(Ball::exact(1), Ball::exact(3)).radius, 0);
  EXPECT_GT(math.sqrt(Ball::exact(2)).radius, 0);
  EXPECT_GE(math.sqrt(Ball::exact(2)).radius, 0x1p-23) << "eager's root is good to 1 ULP";
  EXPECT_LT(BallMath(DType::F32, *find_profile("portable")).sqrt(Ball::exact(2)).radius, 0x1.1p-24)
      << "a root that IEEE 754 rounds is good to half of that";
  BallSum sum(math);
  for (int i = 0; i < 1000; ++i) sum.add(Ball::exact(i % 2 ? 4096.5 : -1.5));
  EXPECT_TRUE(sum.result().is_exact());
  EXPECT_EQ(sum.result().mid, 500 * 4095.0);
  sum.add(Ball::exact(0x1p-20));
  EXPECT_GT(sum.result().radius, 0);
}

TEST(BallTightness, OneUlpOffTheGridIsCaught) {
  const BallMath math(DType::F32, profile());
  const Ball sum = math.add(Ball::exact(1.5), Ball::exact(2.25));
  EXPECT_TRUE(in_ball(DType::F32, sum, 3.75));
  EXPECT_FALSE(in_ball(DType::F32, sum, next_up(DType::F32, 3.75)));
  EXPECT_FALSE(in_ball(DType::F32, sum, next_down(DType::F32, 3.75)));
}

// Off the grid the rounding of one operation is forgiven and no more: two places off is wrong, but for a sum that lies
// half-way between two floats, from where the second of them is as near as the first.
TEST(BallTightness, AnInexactAdditionForgivesItsOwnRounding) {
  Source source(DType::F32, seed + 5);
  const BallMath math(DType::F32, profile());
  int forgiven = 0;
  for (int i = 0; i < 2000; ++i) {
    const double a = round_to(DType::F32, static_cast<double>(source.unit()));
    const double b = round_to(DType::F32, static_cast<double>(source.unit()) * 1e-3);
    const Ball sum = math.add(Ball::exact(a), Ball::exact(b));
    const double right = round_to(DType::F32, a + b);
    EXPECT_TRUE(in_ball(DType::F32, sum, right)) << "seed " << seed + 5 << ", pair " << i;
    forgiven += in_ball(DType::F32, sum, next_up(DType::F32, next_up(DType::F32, right)));
  }
  EXPECT_LE(forgiven, 20) << "seed " << seed + 5;
}

TEST(BallTightness, AFunctionSixUlpOffIsCaught) {
  const BallMath math(DType::F32, profile());
  for (const UnaryCase& test : unary_cases) {
    if (!test.function) continue;
    Source source(DType::F32, seed + 6);
    int caught = 0;
    int tried = 0;
    for (int i = 0; i < 1000; ++i) {
      const double x = round_to(DType::F32, static_cast<double>(source.unit()) * test.reach);
      double wrong = round_to(DType::F32, static_cast<double>(test.real(x)));
      if (!std::isfinite(wrong)) continue;
      for (int k = 0; k < 6; ++k) wrong = next_up(DType::F32, wrong);
      ++tried;
      caught += !in_ball(DType::F32, (math.*test.operation)(Ball::exact(x)), wrong);
    }
    // Just under a power of two six steps are three of the next binade's.
    EXPECT_GE(caught, tried * 9 / 10) << test.name;
    EXPECT_GT(tried, 100) << test.name;
  }
}

TEST(BallEdges, DomainsAndOverflow) {
  const BallMath math(DType::F32, profile());
  EXPECT_TRUE(is_definite_nan(math.sqrt(Ball::exact(-1))));
  EXPECT_TRUE(is_definite_nan(math.acos(Ball::exact(1.5))));
  EXPECT_TRUE(is_definite_nan(math.acosh(Ball::exact(0.5))));
  const Ball straddling = math.sqrt({0, 0.25, false, false, Undecided::No});
  EXPECT_TRUE(straddling.may_nan);
  EXPECT_TRUE(inside(straddling, 0));
  EXPECT_TRUE(inside(straddling, 0.5L));
  EXPECT_FALSE(math.sqrt(math.relu({0, 0.25, false, false, Undecided::No})).may_nan) << "relu's ball ends at 0";
  const Ball over = math.mul(Ball::exact(1e30), Ball::exact(1e30));
  EXPECT_TRUE(over.may_inf);
  EXPECT_DOUBLE_EQ(over.mid, 1e60) << "the centre stays real: an implementation need not round";
  EXPECT_TRUE(math.sub(over, over).may_nan);
  EXPECT_TRUE(over.may_inf.is_of_one_sign());
  EXPECT_EQ(less(over, Ball::exact(0)).undecided, Undecided::No) << "what overflows keeps its sign";
  EXPECT_EQ(less({0, 1, false, true, Undecided::No}, Ball::exact(2)).undecided, Undecided::InexactCompare);
  EXPECT_EQ(math.div(Ball::exact(1), Ball::exact(0)).undecided, Undecided::SignedZero);
  EXPECT_TRUE(is_definite_nan(math.div(Ball::exact(0), Ball::exact(0))));
  EXPECT_EQ(math.div(Ball::exact(1), {0, 1, false, false, Undecided::No}).undecided, Undecided::Unbounded);
}

// The mask of an attention: the least number of f32, added to a logit and put through a softmax.
TEST(BallEdges, MaskedLogitsHaveNoProbability) {
  const BallMath math(DType::F32, profile());
  const Ball mask = Ball::exact(-info(DType::F32).max_finite);
  const Ball masked = math.add({1.5, 0.25, false, false, Undecided::No}, mask);
  EXPECT_LE(masked.radius, 1e24) << "the sum is rounded by less than the logit";
  EXPECT_FALSE(masked.may_inf);
  const Ball twice = math.add(masked, mask);
  EXPECT_TRUE(twice.may_inf.is_of_one_sign());
  for (const Ball& hidden : {masked, twice}) {
    const std::vector<Ball> lane = {Ball::exact(1), hidden, Ball::exact(1)};
    const BallSoftmax softmax(math, lane, DType::F32);
    EXPECT_NEAR(softmax.probability(0).mid, 0.5, 1e-6);
    EXPECT_LT(softmax.probability(0).radius, 1e-6);
    EXPECT_LT(softmax.probability(1).mid, 1e-36);
    EXPECT_LT(softmax.probability(1).radius, 1e-36);
    EXPECT_FALSE(softmax.probability(1).may_nan);
  }
}

TEST(BallEdges, InfinitiesFollowIeee) {
  const double infinity = std::numeric_limits<double>::infinity();
  const BallMath math(DType::F32, profile());
  const Ball inf = Ball::exact(infinity);
  EXPECT_EQ(math.add(inf, Ball::exact(1)).mid, infinity);
  EXPECT_TRUE(is_definite_nan(math.sub(inf, inf)));
  EXPECT_TRUE(is_definite_nan(math.mul(inf, Ball::exact(0))));
  EXPECT_EQ(math.div(Ball::exact(1), inf).mid, 0);
  EXPECT_EQ(math.maximum(inf, Ball::exact(2)).mid, infinity);
  EXPECT_EQ(math.relu(math.neg(inf)).mid, 0);
  EXPECT_EQ(math.exp(math.neg(inf)).mid, 0);
  EXPECT_TRUE(in_ball(DType::F32, math.tanh(inf), 1));
  EXPECT_TRUE(is_definite_nan(math.sin(inf)));
  EXPECT_EQ(less(Ball::exact(1), inf).value, 1);
}

TEST(BallEdges, OneNumberIsOneNumber) {
  const BallMath math(DType::F32, profile());
  const Ball x = {3, 0.5, false, false, Undecided::No};
  EXPECT_TRUE(math.sub_same(x).is_exact());
  EXPECT_EQ(math.sub_same(x).mid, 0);
  EXPECT_EQ(math.div_same(x).mid, 1);
  EXPECT_TRUE(math.div_same({0, 1, false, false, Undecided::No}).may_nan);
  EXPECT_GE(math.mul_same({0, 1, false, false, Undecided::No}).low(), 0);
  EXPECT_EQ(equal_same(x).value, 1);
}

}  // namespace
}  // namespace parallax
