// The transfer functions of balls against MPFR at 256 bits: the real image of every point of the operands lies in the
// result ball, and as far from its edge as an implementation may be off there. A climber walks toward the worst point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ops/profiles.h"
#include "tests/soundness/perturbed.h"
#include "tests/soundness/transfer_cases.h"

namespace parallax::transfer {
namespace {

constexpr uint64_t seed = 20250930;

// Draws operands where functions go wrong: at random, at breakpoints and the ends of domains, tiny, huge and 0; exact,
// and with radii of all sizes.
class Operands {
 public:
  Operands(DType dtype, const Case& test) : dtype_(dtype), test_(&test), random_(seed) {}

  Ball draw() {
    const DTypeInfo& format = info(dtype_);
    double x = unit() * test_->reach;
    const uint64_t kind = random_() % 12;
    if (kind < 3 && !test_->breakpoints.empty()) x = test_->breakpoints[random_() % test_->breakpoints.size()];
    if (kind == 3) x = std::round(x);
    if (kind == 4) x = unit() * 4 * format.smallest_normal;
    if (kind == 5 && test_->huge) x = unit() * format.max_finite;
    if (kind == 6) x = 0;
    if (kind == 7) x *= std::ldexp(1.0, -static_cast<int>(random_() % 20));
    x = round_to(dtype_, x);
    if (random_() % 3 == 0 || std::fabs(x) > format.max_finite / 4) return Ball::exact(x);
    const double radius =
        std::max(std::fabs(x), format.smallest_normal) * std::ldexp(1.0, -static_cast<int>(random_() % 50));
    // A breakpoint is the middle of one ball and the end of another.
    if (random_() % 3 == 0) x += random_() % 2 == 0 ? radius : -radius;
    return {x, radius + margin(x), false, false, Undecided::No};
  }

  double unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  // The point of a ball at a share of its radius, but for what every radius has to spare for a double rounding. It is a
  // double: implementations carry no more.
  static Real at(const Ball& ball, double share) {
    if (ball.radius == 0) return Real(ball.mid);
    return Real(ball.mid + share * (ball.radius - margin(ball.mid)));
  }

 private:
  static double margin(double mid) { return 0x1p-51 * std::fabs(mid); }

  DType dtype_;
  const Case* test_;
  std::mt19937_64 random_;
};

// What an implementation may be off by where the real result is y.
Real allowance(const Case& test, DType dtype, const Profile& profile, const Real& y) {
  const double value = y.nearest();
  const bool held = (y - Real(round_to(dtype, value))).nearest() == 0;
  const FloatFormat format(dtype);
  const double rounding = format.ulp(value) * (profile.rounding_mode_open ? 1 : 0.5);
  switch (test.error) {
    case Error::Rounding:
    case Error::Sum:
      return held ? Real(0) : Real(rounding);
    case Error::Root: {
      if (held) return Real(0);
      if (size_of(dtype) > 2) return Real(profile.error_of(FunctionKind::Sqrt, dtype).ulp * format.ulp(value));
      return Real(profile.error_of(FunctionKind::Sqrt, dtype).ulp * FloatFormat(DType::F32).ulp(value)) +
             Real(rounding);
    }
    case Error::FunctionButOne:
      if ((y - Real(1)).nearest() == 0) return Real(0);
      [[fallthrough]];
    case Error::Function:
      return Real(profile.error_of(FunctionKind::Other, dtype).ulp * format.ulp(value));
    default:
      return Real(0);
  }
}

// How far outside the ball an implementation may be at a point: at most 0 where the ball is sound.
class Search {
 public:
  Search(const Case& test, DType dtype, const Profile& profile, const Ball& x, const Ball& y, const Ball& result)
      : test_(&test), dtype_(dtype), profile_(&profile), x_(x), y_(y), result_(result) {}

  double excess(double share_x, double share_y) {
    const Real value = test_->real(Operands::at(x_, share_x), Operands::at(y_, share_y));
    if (value.is_nan()) return std::isnan(result_.mid) || result_.may_nan ? -infinity : infinity;
    if (result_.may_inf && info(dtype_).max_finite * (1 - 2 * info(dtype_).unit_roundoff) <= std::fabs(value.nearest()))
      return -infinity;
    if (std::isinf(result_.mid)) {
      const double rounded = round_to(dtype_, value.nearest());
      return rounded == result_.mid ? -infinity : infinity;
    }
    if (value.is_infinite() || std::isnan(result_.mid)) return infinity;
    Real allowed = allowance(*test_, dtype_, *profile_, value);
    if (test_->error == Error::Sum && !profile_->rounding_mode_open) {
      const auto size = [](const Real& operand) { return Real(std::fabs(operand.nearest())); };
      if (x_.radius == 0) allowed = Real::of(mpfr_min, allowed, size(Operands::at(y_, share_y)));
      if (y_.radius == 0) allowed = Real::of(mpfr_min, allowed, size(Operands::at(x_, share_x)));
    }
    // No rounding and no function goes over 0.
    const double side = value.nearest();
    const Real zero(0);
    const Real low = side >= 0 ? Real::of(mpfr_max, value - allowed, zero) : value - allowed;
    const Real high = side <= 0 ? Real::of(mpfr_min, value + allowed, zero) : value + allowed;
    const Real mid(result_.mid);
    const Real radius(result_.radius);
    return std::max((mid - radius - low).nearest(), (high - mid - radius).nearest());
  }

  // From a point toward the edge, by steps that halve.
  double climb(double share_x, double share_y) {
    double worst = excess(share_x, share_y);
    for (double step = 0.5; step > 0.01 && worst <= 0; step /= 2) {
      for (const auto& [dx, dy] : {std::pair{step, 0.0}, {-step, 0.0}, {0.0, step}, {0.0, -step}}) {
        if (dy != 0 && !test_->pair) continue;
        const double x = std::clamp(share_x + dx, -1.0, 1.0);
        const double y = std::clamp(share_y + dy, -1.0, 1.0);
        const double here = excess(x, y);
        if (here <= worst) continue;
        worst = here;
        share_x = x;
        share_y = y;
      }
    }
    return worst;
  }

 private:
  const Case* test_;
  DType dtype_;
  const Profile* profile_;
  Ball x_;
  Ball y_;
  Ball result_;
};

void expect_sound(const Case& test, DType dtype, const Profile& profile, int balls) {
  const BallMath math(dtype, profile);
  Operands operands(dtype, test);
  int outside = 0;
  int decided = 0;
  for (int i = 0; i < balls && outside < 3; ++i) {
    const Ball x = operands.draw();
    const Ball y = test.pair ? operands.draw() : Ball::exact(0);
    const Ball result = test.ball(math, x, y);
    decided += result.decided();
    if (!result.decided()) continue;
    Search search(test, dtype, profile, x, y, result);
    double worst = search.climb(operands.unit(), operands.unit());
    if (x.radius != 0 || y.radius != 0) {
      for (const double share_x : {-1.0, 0.0, 1.0}) {
        for (const double share_y : {-1.0, 1.0}) worst = std::max(worst, search.excess(share_x, share_y));
      }
      worst = std::max(worst, search.climb(operands.unit(), operands.unit()));
    }
    if (worst <= 0) continue;
    ++outside;
    ADD_FAILURE() << test.name << " into " << name(dtype) << " under " << profile.name << ", seed " << seed << ", ball "
                  << i << ": of " << std::hexfloat << x.mid << " by " << x.radius << " and " << y.mid << " by "
                  << y.radius << ", outside " << result.mid << " by " << result.radius << " by " << worst;
  }
  EXPECT_GE(decided * 100, balls * test.decided_percent) << test.name << " into " << name(dtype);
}

void expect_all_sound(const std::vector<Case>& cases, const Profile& profile, int balls) {
  for (const Case& test : cases) {
    for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
      expect_sound(test, dtype, profile, balls);
    }
  }
}

const Profile& eager() { return *find_profile("eager"); }

TEST(TransferAgainstMpfr, Arithmetic) { expect_all_sound(arithmetic_cases(), eager(), 400); }

TEST(TransferAgainstMpfr, ArithmeticRoundedEitherWay) {
  Profile open = eager();
  open.name = "rounding open, subnormals flushed";
  open.rounding_mode_open = true;
  open.flush_to_zero = true;
  expect_all_sound(arithmetic_cases(), open, 200);
}

TEST(TransferAgainstMpfr, Functions) { expect_all_sound(function_cases(), eager(), 60); }

TEST(TransferAgainstMpfr, Activations) { expect_all_sound(activation_cases(), eager(), 100); }

// The search itself finds what is wrong: a ball that leaves out one function error in a hundred is caught.
TEST(TransferAgainstMpfr, ASlightlyNarrowBallIsCaught) {
  const Case narrow = {"narrow exp",
                       [](const BallMath& math, const Ball& x, const Ball&) {
                         Ball ball = math.exp(x);
                         ball.radius *= 0.99;
                         return ball;
                       },
                       real1<mpfr_exp>, Error::Function, 5};
  const BallMath math(DType::F32, eager());
  Operands operands(DType::F32, narrow);
  int tried = 0;
  int caught = 0;
  for (int i = 0; i < 400; ++i) {
    const Ball x = operands.draw();
    const Ball result = narrow.ball(math, x, x);
    if (!result.decided() || !std::isfinite(result.mid) || result.may_inf || result.mid < 1e-30) continue;
    Search search(narrow, DType::F32, eager(), x, x, result);
    ++tried;
    caught += std::max({search.excess(-1, 0), search.excess(1, 0), search.climb(operands.unit(), 0)}) > 0;
  }
  EXPECT_GT(tried, 250);
  EXPECT_GE(caught * 100, tried * 60);
}

}  // namespace
}  // namespace parallax::transfer
