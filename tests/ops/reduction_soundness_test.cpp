// Soundness of the balls of moments, norms, softmax and normalisations: whatever an implementation gets that rounds
// each operation or not, in any of the usual algorithms, lies in the ball. And tightness: a wrong result does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "ops/ball_moments.h"
#include "ops/ball_normalize.h"
#include "ops/ball_softmax.h"
#include "ops/profiles.h"
#include "tests/ops/op_harness.h"

namespace parallax {
namespace {

using Real = long double;

const Profile& profile() { return *find_profile("eager"); }
constexpr uint64_t seed = 20240811;
constexpr std::array accumulators = {DType::F32, DType::F64};

bool inside(const Ball& ball, Real got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got)) return ball.may_inf || static_cast<Real>(ball.mid) == got;
  return std::isfinite(ball.mid) && std::fabs(got - static_cast<Real>(ball.mid)) <= static_cast<Real>(ball.radius);
}

// An implementation's arithmetic: each rounding is left out, or as far off as it may be, one way or any. What the dtype
// holds is not rounded.
class Arithmetic {
 public:
  Arithmetic(DType dtype, uint64_t stream) : dtype_(dtype), unit_(info(dtype).unit_roundoff), random_(seed + stream) {
    habit_ = static_cast<int>(random_() % 4);
  }

  Real operator()(Real x) {
    if (static_cast<Real>(round_to(dtype_, static_cast<double>(x))) == x) return x;
    const Real half_ulp = std::ldexp(unit_, std::ilogb(x));
    switch (habit_) {
      case 0:
        return x;
      case 1:
        return x + half_ulp;
      case 2:
        return x - half_ulp;
      default:
        return x + half_ulp * (static_cast<int>(random_() % 3) - 1);
    }
  }
  // A function's result, off by as much as the profile allows.
  Real function(Real x) {
    if (x == 0) return 0;
    const Real ulp = std::ldexp(2 * unit_, std::ilogb(x));
    return x + ulp * static_cast<Real>(profile().error_of(FunctionKind::Other, DType::F32).ulp) *
                   (static_cast<int>(random_() % 3) - 1);
  }
  bool coin() { return random_() % 2 == 0; }
  std::size_t below(std::size_t n) { return random_() % n; }
  Real unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

 private:
  DType dtype_;
  Real unit_;
  int habit_;
  std::mt19937_64 random_;
};

// A lane of balls of some spread around some offset, half of them exact; sometimes of very different sizes.
std::vector<Ball> draw_lane(DType dtype, Arithmetic& source) {
  constexpr std::array<double, 5> offsets = {0, 1, -3, 100, 4000};
  const double offset = offsets[source.below(offsets.size())];
  const double spread = source.coin() ? 1 : 10;
  const bool exact = source.coin();
  std::vector<Ball> lane(1 + source.below(24));
  for (Ball& x : lane) {
    const double scale = source.below(4) == 0 ? 0.01 : 1;
    x = Ball::exact(round_to(dtype, (offset + spread * static_cast<double>(source.unit())) * scale));
    if (!exact && source.coin()) x.radius = std::fabs(x.mid) * std::ldexp(1.0, -static_cast<int>(source.below(30)) - 4);
  }
  return lane;
}

std::vector<Real> members(const std::vector<Ball>& lane, Arithmetic& source) {
  std::vector<Real> values;
  for (const Ball& x : lane) {
    const Real margin = 0x1p-52L * std::fabs(static_cast<Real>(x.mid));
    const Real place = source.coin() ? source.unit() : source.coin() ? 1 : -1;
    values.push_back(static_cast<Real>(x.mid) + place * std::max<Real>(static_cast<Real>(x.radius) - margin, 0));
  }
  return values;
}

struct Moments {
  Real count = 0;
  Real mean = 0;
  Real squares = 0;
};

Moments two_pass(std::span<const Real> x, Arithmetic& round) {
  Moments moments{static_cast<Real>(x.size())};
  Real sum = x[0];
  for (Real value : x.subspan(1)) sum = round(sum + value);
  if (x.size() == 1) return {1, x[0], 0};
  moments.mean = round.coin() ? round(sum / moments.count) : round(sum * round(1 / moments.count));
  for (Real value : x) {
    const Real deviation = round(value - moments.mean);
    moments.squares = round(moments.squares + (round.coin() ? deviation * deviation : round(deviation * deviation)));
  }
  return moments;
}

Moments welford(std::span<const Real> x, Arithmetic& round) {
  Moments moments{1, x[0], 0};
  for (Real value : x.subspan(1)) {
    moments.count += 1;
    const Real delta = round(value - moments.mean);
    moments.mean = round(moments.mean + round(delta / moments.count));
    moments.squares = round(moments.squares + round(delta * round(value - moments.mean)));
  }
  return moments;
}

Moments merged(const Moments& a, const Moments& b, Arithmetic& round) {
  const Real count = a.count + b.count;
  const Real delta = round(b.mean - a.mean);
  const Real share = round(b.count / count);
  return {count, round(a.mean + round(delta * share)),
          round(round(a.squares + b.squares) + round(round(delta * delta) * round(a.count * share)))};
}

Moments chan(std::span<const Real> x, Arithmetic& round, std::size_t leaf) {
  if (x.size() <= leaf) return welford(x, round);
  const std::size_t half = x.size() / 2;
  return merged(chan(x.first(half), round, leaf), chan(x.subspan(half), round, leaf), round);
}

Moments any_moments(std::span<const Real> x, Arithmetic& round) {
  switch (round.below(4)) {
    case 0:
      return two_pass(x, round);
    case 1:
      return welford(x, round);
    case 2:
      return chan(x, round, 1);
    default:
      return chan(x, round, 4);
  }
}

constexpr uint64_t lanes = 3000;
constexpr int implementations = 12;

TEST(ReductionSoundness, MomentsAndTheirNormalisation) {
  constexpr Real eps = 1e-5L;
  int outside = 0;
  for (DType dtype : accumulators) {
    const BallMath math(dtype, profile());
    for (uint64_t i = 0; i < lanes; ++i) {
      Arithmetic source(dtype, i);
      const std::vector<Ball> lane = draw_lane(dtype, source);
      const BallMoments moments(math, lane);
      const Ball mean = moments.mean();
      const Ball variance = moments.variance(1);
      const Ball inverse = inverse_deviation(math, moments.variance(0), 1e-5);
      const Ball weight = Ball::exact(1.5);
      const Ball bias = Ball::exact(-0.75);
      for (int k = 0; k < implementations; ++k) {
        Arithmetic round(dtype, i * 100 + static_cast<uint64_t>(k));
        const std::vector<Real> x = members(lane, round);
        const Moments got = any_moments(x, round);
        const std::size_t e = round.below(x.size());
        const Real rstd = round(1 / round(std::sqrt(round(round(got.squares / got.count) + eps))));
        const Real scale = round(rstd * 1.5L);
        const Real output = round.coin() ? round(round(round(x[e] - got.mean) * scale) - 0.75L)
                                         : round(round(x[e] * scale) + round(-0.75L - round(got.mean * scale)));
        const Ball normal = normalized(math, {lane[e], mean, moments.deviation(e), inverse, &weight, &bias}, dtype);
        const bool held = inside(mean, got.mean) && inside(normal, output) && inside(inverse, rstd) &&
                          (x.size() < 2 || inside(variance, round(got.squares / (got.count - 1))));
        if (!held && ++outside < 5)
          ADD_FAILURE() << name(dtype) << ", seed " << seed << ", lane " << i << ", try " << k;
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

TEST(ReductionSoundness, Softmax) {
  int outside = 0;
  for (DType dtype : accumulators) {
    const BallMath math(dtype, profile());
    for (uint64_t i = 0; i < lanes; ++i) {
      Arithmetic source(dtype, i + 77);
      const std::vector<Ball> lane = draw_lane(dtype, source);
      const BallSoftmax softmax(math, lane, math.dtype());
      BallLogAddExp running(math);
      for (const Ball& x : lane) running.add(x);
      for (int k = 0; k < implementations; ++k) {
        Arithmetic round(dtype, i * 100 + static_cast<uint64_t>(k));
        const std::vector<Real> x = members(lane, round);
        const Real max = *std::ranges::max_element(x);
        std::vector<Real> shifted;
        std::vector<Real> exponentials;
        Real sum = 0;
        for (Real value : x) {
          shifted.push_back(round(value - max));
          exponentials.push_back(round.function(std::exp(shifted.back())));
          sum = round(sum + exponentials.back());
        }
        const Real log = round.function(std::log(sum));
        Real added = x[0];
        for (std::size_t j = 1; j < x.size(); ++j) {
          const Real larger = std::max(added, x[j]);
          const Real difference = round(std::min(added, x[j]) - larger);
          added = round(larger + round.function(std::log1p(round.function(std::exp(difference)))));
        }
        const std::size_t e = round.below(x.size());
        const Real share = round.coin() ? round(exponentials[e] / sum) : round(exponentials[e] * round(1 / sum));
        const bool held = inside(softmax.probability(e), share) &&
                          inside(softmax.log_probability(e), round(shifted[e] - log)) &&
                          inside(softmax.log_sum(), round(max + log)) && inside(running.result(), added);
        if (!held && ++outside < 5)
          ADD_FAILURE() << name(dtype) << ", seed " << seed << ", lane " << i << ", try " << k;
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

TEST(ReductionSoundness, VectorNorms) {
  constexpr std::array<double, 6> orders = {1, 2, 3, 0.5, 1.2, -1};
  int outside = 0;
  for (DType dtype : accumulators) {
    for (uint64_t i = 0; i < lanes; ++i) {
      Arithmetic source(dtype, i + 154);
      const std::vector<Ball> lane = draw_lane(dtype, source);
      const double order = orders[source.below(orders.size())];
      OpHarness harness;
      const ValueId value = harness.add(dtype, {static_cast<int64_t>(lane.size())});
      for (std::size_t k = 0; k < lane.size(); ++k) harness.ball(value, static_cast<int64_t>(k)) = lane[k];
      const Ball ball = harness.ball(*harness.call("aten.linalg_vector_norm.default", {value, Scalar(order)}));
      for (int k = 0; k < implementations; ++k) {
        Arithmetic round(dtype, i * 100 + static_cast<uint64_t>(k));
        const std::vector<Real> x = members(lane, round);
        const Real exponent = round_to(dtype, order);
        std::vector<Real> terms;
        for (Real value_of : x) {
          const Real base = std::fabs(value_of);
          terms.push_back(order == 1   ? base
                          : order == 2 ? round(base * base)
                                       : round.function(std::pow(base, exponent)));
        }
        const Real sum =
            std::accumulate(terms.begin() + 1, terms.end(), terms[0], [&](Real a, Real b) { return round(a + b); });
        const Real norm = order == 1   ? sum
                          : order == 2 ? round(std::sqrt(sum))
                                       : round.function(std::pow(sum, round(1 / exponent)));
        if (!inside(ball, norm) && ++outside < 5) {
          ADD_FAILURE() << name(dtype) << ", seed " << seed << ", lane " << i << ", try " << k << ", order " << order;
        }
      }
    }
  }
  EXPECT_EQ(outside, 0);
}

// Exact elements of order 1: a result that is off by a thousandth is no rounding.
TEST(ReductionSoundness, WrongResultsAreOutside) {
  const BallMath math(DType::F32, profile());
  for (uint64_t i = 0; i < 300; ++i) {
    Arithmetic source(DType::F32, i);
    std::vector<Ball> lane(2 + source.below(24));
    for (Ball& x : lane) x = Ball::exact(round_to(DType::F32, static_cast<double>(source.unit()) + 2));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", lane " + std::to_string(i));
    const BallMoments moments(math, lane);
    const Ball mean = moments.mean();
    const BallSoftmax softmax(math, lane, math.dtype());
    const Ball inverse = inverse_deviation(math, moments.variance(0), 1e-5);
    for (const Ball& ball : {mean, softmax.probability(0), softmax.log_probability(0), softmax.log_sum()}) {
      EXPECT_LT(ball.radius, 1e-4 * std::fabs(ball.mid));
      EXPECT_FALSE(inside(ball, static_cast<Real>(ball.mid) * 1.001L));
    }
    // The square of what is lost in the mean counts beside a small variance.
    if (moments.variance(1).mid > 1e-2) {
      EXPECT_FALSE(inside(moments.variance(1), static_cast<Real>(moments.variance(1).mid) * 1.001L));
      const Ball normal = normalized(math, {lane[0], mean, moments.deviation(0), inverse}, DType::F32);
      EXPECT_LT(normal.radius, 1e-3);
    }
  }
}

}  // namespace
}  // namespace parallax
