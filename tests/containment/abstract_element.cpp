#include "tests/containment/abstract_element.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/limits.h"

namespace parallax {
namespace {

uint64_t below(std::mt19937_64& random, uint64_t n) { return random() % n; }
double unit(std::mt19937_64& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// Where functions have kinks, poles and the edges of their domains.
double turning_point(std::mt19937_64& random) {
  constexpr std::array points = {
      0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 0.25, 1.4616321449683622, 1.5707963267948966, 3.141592653589793, 20.0};
  const double point = points[below(random, points.size())];
  return below(random, 2) == 0 ? point : -point;
}

Ball interval(double mid, double radius) { return {mid, radius, false, false, Undecided::No, -1}; }

Undecided draw_reason(std::mt19937_64& random) {
  return static_cast<Undecided>(1 + below(random, undecided_reasons - 1));
}

// Kinds that hold more than ordinary numbers.
Ball draw_special(DType dtype, double ordinary, std::mt19937_64& random) {
  const DTypeInfo& format = info(dtype);
  const double sign = below(random, 2) == 0 ? 1 : -1;
  Ball ball = Ball::exact(ordinary);
  switch (below(random, 14)) {
    case 0:  // alone, or in the place of an infinity, as a clamp leaves it
      ball = Ball::exact(0);
      ball.may_inf = below(random, 2) == 0;
      return ball;
    case 1:
      return Ball::exact(sign * infinity);
    case 2:
      return Ball::exact(nan);
    case 3:  // an infinity whose sign is not known
      ball = Ball::exact(sign * infinity);
      ball.may_inf = true;
      ball.may_nan = below(random, 2) == 0;
      return ball;
    case 4:
      return Ball::unknown(draw_reason(random));
    case 5:  // a pole, kink or edge somewhere inside
      return interval(turning_point(random) + unit(random) * 1e-3,
                      std::ldexp(1.0, -static_cast<int>(below(random, 9))));
    case 6:
      return interval(0, std::ldexp(1.0, -static_cast<int>(below(random, 12))));
    case 7:
      return Ball::exact(round_to(dtype, turning_point(random)));
    case 8:
      return Ball::exact(sign * format.smallest_subnormal * static_cast<double>(1 + below(random, 5)));
    case 9:
      return interval(unit(random) * format.smallest_normal, format.smallest_normal);
    case 10:  // the largest number, which stands for the infinity of a pole too
      ball = Ball::exact(sign * format.max_finite);
      ball.may_inf = below(random, 2) == 0;
      return ball;
    case 11:
      ball = interval(sign * format.max_finite / 2, format.max_finite / 2);
      if (below(random, 2) == 0) ball.may_inf = below(random, 2) == 0 ? MayInf(true) : MayInf::of_one_sign();
      return ball;
    case 12:
      ball = below(random, 2) == 0 ? interval(0, 4) : interval(ordinary, std::fabs(ordinary) / 4);
      ball.may_inf = true;
      ball.may_nan = below(random, 2) == 0;
      return ball;
    default:
      ball.may_nan = true;
      ball.radius = below(random, 2) == 0 ? 0 : std::fabs(ordinary) / 8;
      return ball;
  }
}

}  // namespace

AbstractElements::AbstractElements(DType dtype, std::mt19937_64& random)
    : dtype_(dtype), random_(&random), special_percent_(0), scale_(1) {
  constexpr std::array percents = {0, 5, 30, 100};
  constexpr std::array scales = {1.0, 1.0, 4.0, 40.0, 0x1p-10};
  special_percent_ = percents[below(random, percents.size())];
  scale_ = scales[below(random, scales.size())];
}

Ball AbstractElements::draw_ball() {
  const double ordinary = round_to(dtype_, unit(*random_) * scale_);
  if (static_cast<int>(below(*random_, 100)) < special_percent_) return draw_special(dtype_, ordinary, *random_);
  if (below(*random_, 2) == 0) return Ball::exact(ordinary);
  const double radius = std::fabs(ordinary) * std::ldexp(1.0, -static_cast<int>(below(*random_, 22)));
  return interval(ordinary, radius);
}

IntegerBall AbstractElements::draw_integer(int64_t value) {
  if (static_cast<int>(below(*random_, 100)) < special_percent_ / 2) return {0, draw_reason(*random_)};
  return {value, Undecided::No};
}

double draw_member(DType dtype, const Ball& ball, std::mt19937_64& random) {
  constexpr std::array anything = {0.0, -0.0, 1.0, -1.0, 0.5, -2.5, infinity, -infinity, nan};
  if (!ball.decided()) return anything[below(random, anything.size())];
  if (ball.may_nan && below(random, 3) == 0) return nan;
  if (ball.may_inf && below(random, 3) == 0) {
    if (ball.may_inf.is_of_one_sign()) return std::copysign(infinity, ball.mid);
    return below(random, 2) == 0 ? infinity : -infinity;
  }
  if (!std::isfinite(ball.mid)) return ball.mid;
  double share = unit(random);
  if (below(random, 2) == 0) share = std::copysign(1.0, share);
  // As near to an end as double arithmetic tells.
  const double inside = std::max(0.0, ball.radius * (1 - 0x1p-50) - std::fabs(ball.mid) * 0x1p-51);
  double x = round_to(dtype, ball.mid + share * inside);
  if (x > ball.high()) x = next_down(dtype, x);
  if (x < ball.low()) x = next_up(dtype, x);
  const bool holds_zero = std::fabs(ball.mid) <= ball.radius;
  if (holds_zero && (x == 0 || below(random, 4) == 0)) return below(random, 2) == 0 ? 0.0 : -0.0;
  // No value of the dtype lies in so narrow a ball but its centre's neighbours, which other elements stand for.
  return x > ball.high() || x < ball.low() || !std::isfinite(x) ? round_to(dtype, ball.mid) : x;
}

int64_t draw_member(DType dtype, const IntegerBall& integer, int64_t reach, std::mt19937_64& random) {
  if (integer.undecided == Undecided::No) return integer.value;
  if (integer.is_interval())
    return integer.low + static_cast<int64_t>(below(random, static_cast<uint64_t>(integer.high - integer.low) + 1));
  const auto width = static_cast<uint64_t>(2 * reach + 1);
  return wrap_to(dtype, static_cast<int64_t>(below(random, width)) - reach);
}

}  // namespace parallax
