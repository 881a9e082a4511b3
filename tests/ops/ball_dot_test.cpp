// Soundness and tightness of sums of products: whatever order, fusion and intermediate precision an implementation
// chooses, its result lies in the ball; and where nothing can round, the ball is a point.
#include "ops/ball_dot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "core/limits.h"
#include "ops/ball_sum.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

using Real = long double;

constexpr uint64_t seed = 20250311;
constexpr std::array float_dtypes = {DType::F32, DType::F16, DType::BF16, DType::F64};

const Profile& profile() { return *find_profile("eager"); }

Real rounded(DType dtype, Real x) { return static_cast<Real>(round_to(dtype, static_cast<double>(x))); }

bool inside(const Ball& ball, Real got) {
  if (!ball.decided()) return true;
  return std::isfinite(ball.mid) && std::fabs(got - static_cast<Real>(ball.mid)) <= static_cast<Real>(ball.radius);
}

// Draws operands, and what one implementation makes of them.
class Implementation {
 public:
  Implementation(DType dtype, DType accumulator, uint64_t stream)
      : dtype_(dtype), accumulator_(accumulator), random_(stream) {}

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  double unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  Ball ball() {
    if (chance(15)) return Ball::exact(0);
    double mid = unit() * (chance(10) ? 1e-3 : 8);
    if (chance(30)) mid = std::round(mid);
    Ball drawn = Ball::exact(round_to(dtype_, mid));
    if (chance(30)) drawn.radius = std::fabs(mid) * std::ldexp(1.0, -static_cast<int>(random_() % 20)) + 1e-12;
    return drawn;
  }

  // A value as it was stored, in the operand's dtype: what an implementation keeps wider lies that much deeper inside.
  Real member(const Ball& ball) {
    const Real place = chance(30) ? std::copysign(1.0, unit()) : unit();
    const Real stored = rounded(dtype_, static_cast<Real>(ball.mid) + place * static_cast<Real>(ball.radius));
    return inside(ball, stored) ? stored : static_cast<Real>(ball.mid);
  }

  // Rounded to the accumulator's dtype, to a wider one, or not at all.
  Real accumulated(Real x) { return chance(70) ? rounded(accumulator_, x) : chance(50) ? rounded(DType::F64, x) : x; }
  Real stored(Real x) { return chance(50) ? rounded(dtype_, x) : x; }

  Real sum(std::vector<Real> terms, Real start) {
    std::shuffle(terms.begin(), terms.end(), random_);
    Real total = start;
    const std::size_t parts = 1 + random_() % 3;
    std::vector<Real> partial(parts, 0);
    for (std::size_t i = 0; i < terms.size(); ++i) partial[i % parts] = accumulated(partial[i % parts] + terms[i]);
    for (const Real part : partial) total = accumulated(total + part);
    return total;
  }

  std::mt19937_64& random() { return random_; }

 private:
  DType dtype_;
  DType accumulator_;
  std::mt19937_64 random_;
};

// alpha * sum + addend as some implementation computes it.
Real computed(Implementation& by, const std::vector<std::pair<Real, Real>>& factors, Real alpha, Real addend) {
  const bool scales_factor = alpha != 1 && by.chance(40);
  const bool starts_from_addend = by.chance(50) && (alpha == 1 || scales_factor);
  std::vector<Real> products;
  for (const auto& [a, b] : factors) {
    const Real scaled = scales_factor ? by.accumulated(alpha * a) : a;
    products.push_back(by.accumulated(scaled * b));
  }
  Real sum = by.sum(products, starts_from_addend ? addend : 0);
  if (starts_from_addend) return by.stored(sum);
  if (addend != 0 || alpha != 1) sum = by.stored(sum);
  if (alpha != 1 && !scales_factor) sum = by.stored(by.accumulated(alpha * sum));
  return by.stored(by.accumulated(sum + addend));
}

TEST(BallDotSoundness, AnyOrderScaledAndAdded) {
  int64_t outside = 0;
  for (DType dtype : float_dtypes) {
    const BallMath math(dtype, profile());
    for (uint64_t stream = 0; stream < 4000; ++stream) {
      Implementation by(dtype, accumulator_of(math), seed + stream);
      std::vector<std::pair<Ball, Ball>> operands(by.random()() % 20);
      BallDot dot(math);
      for (auto& [a, b] : operands) {
        a = by.ball();
        b = by.ball();
        dot.add(Factor(a), Factor(b));
      }
      const double alpha = by.chance(50) ? 1 : by.chance(50) ? -0.5 : round_to(dtype, by.unit() * 3);
      const Ball addend = by.chance(50) ? Ball::exact(0) : by.ball();
      const Ball result = dot.result(alpha, addend);
      for (int k = 0; k < 8; ++k) {
        std::vector<std::pair<Real, Real>> members;
        for (const auto& [a, b] : operands) members.emplace_back(by.member(a), by.member(b));
        const Real got = computed(by, members, alpha, by.member(addend));
        if (!inside(result, got) && ++outside < 5) {
          ADD_FAILURE() << "dot in " << name(dtype) << ", seed " << seed + stream << ": " << static_cast<double>(got)
                        << " is not in " << result.mid << " +- " << result.radius;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

// Columns of a transposed convolution are stored as halves before they are added.
TEST(BallDotSoundness, PartsThatAreStored) {
  int64_t outside = 0;
  for (DType dtype : {DType::F16, DType::BF16}) {
    const BallMath math(dtype, profile());
    for (uint64_t stream = 0; stream < 4000; ++stream) {
      Implementation by(dtype, DType::F32, seed + stream);
      const std::size_t parts = 1 + by.random()() % 5;
      std::vector<Real> columns(parts, 0);
      BallDot dot(math);
      for (std::size_t i = 0; i < 3 * parts; ++i) {
        const Ball a = by.ball();
        const Ball b = by.ball();
        dot.add(Factor(a), Factor(b));
        columns[i % parts] = rounded(DType::F32, columns[i % parts] + rounded(DType::F32, by.member(a) * by.member(b)));
      }
      const Ball result = dot.result(1, Ball::exact(0), static_cast<int64_t>(parts));
      Real total = 0;
      for (const Real column : columns) total = rounded(dtype, total + rounded(dtype, column));
      if (!inside(result, total) && ++outside < 5) {
        ADD_FAILURE() << "columns in " << name(dtype) << ", seed " << seed + stream;
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

Ball dot_of(const BallMath& math, const std::vector<std::pair<double, double>>& products, double alpha = 1,
            double addend = 0) {
  BallDot dot(math);
  for (const auto& [a, b] : products) dot.add(Factor(Ball::exact(a)), Factor(Ball::exact(b)));
  return dot.result(alpha, Ball::exact(addend));
}

TEST(BallDotTightness, OnTheExactGridNothingRounds) {
  const BallMath math(DType::F32, profile());
  std::vector<std::pair<double, double>> products;
  for (int i = 0; i < 500; ++i) products.emplace_back(i % 7 - 3 + 0.125, i % 5 - 2 + 0.25);
  double sum = 0;
  for (const auto& [a, b] : products) sum += a * b;
  EXPECT_TRUE(dot_of(math, products).is_exact());
  EXPECT_EQ(dot_of(math, products).mid, sum);
  EXPECT_TRUE(dot_of(math, products, 2, 0.5).is_exact());
  EXPECT_EQ(dot_of(math, products, 2, 0.5).mid, 2 * sum + 0.5);
  products.emplace_back(0x1p-12, 0x1p-12);
  EXPECT_GT(dot_of(math, products).radius, 0) << "a term under the grid's last place";
}

TEST(BallDotTightness, ZerosDoNotRound) {
  const BallMath math(DType::F32, profile());
  std::vector<std::pair<double, double>> products(1000, {0, 3.3});
  EXPECT_EQ(dot_of(math, products).mid, 0);
  EXPECT_TRUE(dot_of(math, products).is_exact());
  products.emplace_back(round_to(DType::F32, 0.1), round_to(DType::F32, 0.3));
  EXPECT_LT(dot_of(math, products).radius, 2 * 0.03 * 0x1p-24) << "one product rounds once";
}

// What is exact in f32 may still round where a half is stored on the way.
TEST(BallDotTightness, AHalfOfSeveralStepsIsExactOnlyOnItsOwnGrid) {
  const BallMath math(DType::F16, profile());
  EXPECT_TRUE(dot_of(math, {{2048, 1}, {1, 1}, {-1, 1}}).is_exact()) << "f32 holds 2049";
  const Ball added = dot_of(math, {{2048, 1}, {1, 1}}, 1, -1);
  EXPECT_GT(added.radius, 0) << "2049 is no f16, and an implementation may store it before it adds -1";
  EXPECT_LE(added.low(), 2047);
}

TEST(BallDotEdges, InfinitiesAndNaN) {
  const BallMath math(DType::F32, profile());
  EXPECT_TRUE(is_definite_nan(dot_of(math, {{infinity, 0}, {1, 1}})));
  EXPECT_TRUE(is_definite_nan(dot_of(math, {{infinity, 1}, {infinity, -1}})));
  EXPECT_TRUE(is_definite_nan(dot_of(math, {{nan, 0}})));
  EXPECT_EQ(dot_of(math, {{infinity, 2}, {1, 1}}).mid, infinity);
  EXPECT_EQ(dot_of(math, {{infinity, 2}}, -1).mid, -infinity);
  EXPECT_TRUE(is_definite_nan(dot_of(math, {{infinity, 2}}, 1, -infinity)));
  EXPECT_EQ(dot_of(math, {{1, 2}}, 1, infinity).mid, infinity);
  const Ball unread = dot_of(math, {{nan, 1}}, 0, 3);
  EXPECT_EQ(unread.mid, 3);
  EXPECT_TRUE(unread.may_nan) << "an alpha of 0 may or may not read the products";
  const Ball over = dot_of(math, {{3e38, 1}, {3e38, 1}, {-3e38, 1}});
  EXPECT_TRUE(over.may_inf && over.may_nan) << "a partial sum overflows in some orders";
}

TEST(BallDotEdges, PaddingShowsWhereTheOtherFactorIsNoNumber) {
  const BallMath math(DType::F32, profile());
  BallDot dot(math);
  dot.add(Factor(Ball::exact(2)), Factor(Ball::exact(3)));
  dot.add_padding(Factor(Ball::exact(5)));
  EXPECT_TRUE(dot.result().is_exact());
  dot.add_padding(Factor(Ball::exact(infinity)));
  EXPECT_TRUE(dot.result().may_nan);
  EXPECT_EQ(dot.result().mid, 6);
}

}  // namespace
}  // namespace parallax
