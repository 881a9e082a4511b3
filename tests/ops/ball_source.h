// BallSource: random balls, members of them, and what conforming implementations make of a real value. For the
// soundness tests of op families.
#pragma once

#include <cmath>
#include <random>

#include "ops/ball.h"
#include "ops/profiles.h"

namespace parallax {

class BallSource {
 public:
  // Wider than double, so that it can tell a double's rounding error.
  using Real = long double;

  BallSource(DType dtype, uint64_t seed) : dtype_(dtype), random_(seed) {}

  DType dtype() const { return dtype_; }
  Real unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

  // Half of them exact, many of few bits, some near 0, the others with radii of all sizes.
  Ball ball(double reach) {
    double mid = static_cast<double>(unit()) * reach;
    if (chance(30)) mid = std::round(mid * 2) / 2;
    if (chance(10)) mid *= std::ldexp(1.0, -static_cast<int>(random_() % 30));
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

  // Rounding to f32 and narrower through double moves a value only at a tie, by less than a radius's own slack.
  Real rounded(Real x) const { return static_cast<Real>(round_to(dtype_, static_cast<double>(x))); }
  // What an implementation that may or may not round here goes on with.
  Real stored(Real x) { return chance(50) ? rounded(x) : x; }
  // A number as an implementation has it.
  Real number(double x) { return stored(x); }

  // A factor that is a rounding's relative error off 1, or less.
  Real near_one() { return 1 + unit() * static_cast<Real>(info(dtype_).unit_roundoff); }

  // A function's result as far off as the profile allows: before it is rounded, or as it is. Units of 0 are none.
  Real function(Real value) {
    if (!std::isfinite(value) || value == 0) return value;
    const Real least = static_cast<Real>(info(dtype_).smallest_subnormal);
    const Real unit_of = std::ldexp(2 * static_cast<Real>(info(dtype_).unit_roundoff), std::ilogb(value));
    const Real ulp = std::max(unit_of, least);
    const auto allowed = static_cast<Real>(find_profile("eager")->error_of(FunctionKind::Other, DType::F32).ulp);
    return chance(50) ? value + unit() * allowed * ulp : rounded(value + unit() * (allowed - 1) * ulp);
  }

  uint64_t bits() { return random_(); }

 private:
  DType dtype_;
  std::mt19937_64 random_;
};

// Whether the ball's set has the value.
inline bool inside(const Ball& ball, long double got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (std::isinf(got)) return ball.may_inf || static_cast<long double>(ball.mid) == got;
  return std::isfinite(ball.mid) &&
         std::fabs(got - static_cast<long double>(ball.mid)) <= static_cast<long double>(ball.radius);
}

}  // namespace parallax
