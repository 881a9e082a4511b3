// Soundness of what meets in one element of a scatter: sums, products, means and extremes in any order, rounded at each
// step or at the end, lie in the ball. And tightness: exact terms that add up without rounding leave no room.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "ops/combiner.h"
#include "ops/profiles.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = long double;

const Profile& profile() { return *find_profile("eager"); }

bool inside(const Ball& ball, Real got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got)) return ball.may_inf || static_cast<Real>(ball.mid) == got;
  return std::isfinite(ball.mid) && std::fabs(got - static_cast<Real>(ball.mid)) <= static_cast<Real>(ball.radius);
}

// One implementation: the terms in some order, each step rounded to the dtype, to f32, or not at all.
Real implementation(Combine how, DType dtype, std::vector<Real> terms, std::mt19937_64& random) {
  std::shuffle(terms.begin(), terms.end(), random);
  const auto style = random() % 3;
  const auto step = [&](Real x) {
    if (style == 0) return static_cast<Real>(round_to(dtype, static_cast<double>(x)));
    return style == 1 && dtype != DType::F64 ? static_cast<Real>(static_cast<float>(x)) : x;
  };
  Real value = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    if (how == Combine::Maximum) value = std::max(value, terms[i]);
    if (how == Combine::Minimum) value = std::min(value, terms[i]);
    if (how == Combine::Product) value = step(value * terms[i]);
    if (how == Combine::Sum || how == Combine::Mean) value = step(value + terms[i]);
  }
  if (how == Combine::Mean && terms.size() > 1) value = step(value / static_cast<Real>(terms.size()));
  // What is handed on has its rounding, if any, in its own ball.
  const bool computes = terms.size() > 1 && how != Combine::Maximum && how != Combine::Minimum;
  return computes && random() % 2 ? static_cast<Real>(round_to(dtype, static_cast<double>(value))) : value;
}

TEST(CombinerSoundness, EveryOrderAndRoundingLiesInTheBall) {
  constexpr uint64_t seed = 31;
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
    for (Combine how : {Combine::Sum, Combine::Product, Combine::Mean, Combine::Maximum, Combine::Minimum}) {
      std::mt19937_64 random(seed);
      const auto unit = [&] { return std::uniform_real_distribution<double>(-1, 1)(random); };
      int64_t outside = 0;
      for (int round = 0; round < 600; ++round) {
        BallStorage storage(dtype, 1);
        const BallView target{&storage, dtype, contiguous_layout({})};
        std::vector<Ball> balls(1 + random() % 8);
        for (Ball& ball : balls) {
          ball = Ball::exact(round_to(dtype, unit() * 3));
          if (random() % 2) ball.radius = std::fabs(ball.mid) * std::ldexp(1.0, -static_cast<int>(random() % 20));
        }
        const bool keeps_self = random() % 2;
        storage.balls[0] = balls.front();
        Combiner combiner(target, how, keeps_self, profile());
        for (std::size_t i = keeps_self ? 1 : 0; i < balls.size(); ++i) combiner.add(0, balls[i]);
        if (keeps_self && balls.size() == 1) continue;
        combiner.finish();
        for (int draw = 0; draw < 12; ++draw) {
          std::vector<Real> terms;
          for (const Ball& ball : balls) {
            const Real margin = 0x1p-52L * std::fabs(static_cast<Real>(ball.mid));
            const Real reach = std::max(static_cast<Real>(ball.radius) - margin, Real{0});
            terms.push_back(static_cast<Real>(ball.mid) + static_cast<Real>(random() % 3 == 0 ? 1 : unit()) * reach);
          }
          if (inside(storage.balls[0], implementation(how, dtype, std::move(terms), random))) continue;
          if (++outside < 3)
            ADD_FAILURE() << name(dtype) << ", kind " << static_cast<int>(how) << ", seed 31, round " << round;
        }
      }
      EXPECT_EQ(outside, 0);
    }
  }
}

TEST(CombinerSoundness, SumsOnTheGridAreExact) {
  BallStorage storage(DType::F16, 1);
  storage.balls[0] = Ball::exact(1);
  const BallView target{&storage, DType::F16, contiguous_layout({})};
  Combiner combiner(target, Combine::Sum, true, profile());
  for (double x : {0.5, -2.0, 3.25}) combiner.add(0, Ball::exact(x));
  combiner.finish();
  EXPECT_TRUE(same_ball(storage.balls[0], Ball::exact(2.75)));
}

// Eager counts halves in halves, where 256 and 1 is 256 in bf16; an exact count divides by more.
TEST(CombinerSoundness, AMeanOverMoreThanTheDtypeCountsHoldsBothCounts) {
  BallStorage storage(DType::BF16, 1);
  const BallView target{&storage, DType::BF16, contiguous_layout({})};
  Combiner combiner(target, Combine::Mean, false, profile());
  for (int i = 0; i < 512; ++i) combiner.add(0, Ball::exact(i == 0 ? 512 : 0));
  combiner.finish();
  EXPECT_TRUE(in_ball(DType::BF16, storage.balls[0], 2));
  EXPECT_TRUE(in_ball(DType::BF16, storage.balls[0], 1));
  EXPECT_FALSE(in_ball(DType::BF16, storage.balls[0], 0.5));
}

}  // namespace
}  // namespace parallax
