#include "oracle/acceptance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.h"
#include "ops/ball_math.h"

namespace parallax {
namespace {

// The largest value of the dtype that is at most x.
double round_down(DType dtype, double x) {
  const double nearest = round_to(dtype, x);
  return nearest > x ? next_down(dtype, nearest) : nearest;
}
double round_up(DType dtype, double x) { return -round_down(dtype, -x); }

}  // namespace

bool accepts(DType dtype, const Ball& ball, double got) {
  if (!ball.decided()) return true;
  if (std::isnan(got)) return ball.may_nan || std::isnan(ball.mid);
  if (got == std::numeric_limits<double>::infinity() && can_be_plus_infinity(ball)) return true;
  if (got == -std::numeric_limits<double>::infinity() && can_be_minus_infinity(ball)) return true;
  if (std::isnan(ball.mid)) return false;
  if (std::isinf(ball.mid)) return got == ball.mid;
  return got >= round_down(dtype, ball.low()) && got <= round_up(dtype, ball.high());
}

bool accepts(const BallTensor& expected, const Tensor& got, int64_t element) {
  const auto at = static_cast<std::size_t>(element);
  const bool floating = is_floating(expected.dtype);
  if (const auto found = expected.alternatives.find(element); found != expected.alternatives.end()) {
    return std::ranges::any_of(found->second, [&](const Ball& ball) {
      if (floating) return accepts(expected.dtype, ball, got.get_double(element));
      const auto value = static_cast<double>(got.get_integer(element));
      return value >= ball.low() && value <= ball.high();
    });
  }
  if (floating) return accepts(expected.dtype, expected.balls[at], got.get_double(element));
  const IntegerBall& integer = expected.integers[at];
  const int64_t value = got.get_integer(element);
  return value >= integer.lowest() && value <= integer.highest();
}

bool is_suspect(const Ball& ball, double got) {
  return ball.deviation > 0 && std::isfinite(got) && std::isfinite(ball.mid) &&
         std::fabs(got - ball.mid) > suspicion_deviations * ball.spread();
}

int proved_bits(const Ball& ball) {
  if (ball.mid == 0) return 0;
  return std::max(0, static_cast<int>(std::floor(std::log2(std::fabs(ball.mid) / ball.radius))));
}

double excess_of(const BallTensor& expected, const Tensor& got, int64_t element) {
  if (!is_floating(expected.dtype)) return infinity;
  const auto excess = [&](const Ball& ball) {
    const double distance = std::fabs(got.get_double(element) - ball.mid) - ball.radius;
    return ball.radius > 0 && std::isfinite(distance) ? distance / ball.radius : infinity;
  };
  const auto found = expected.alternatives.find(element);
  if (found == expected.alternatives.end()) return excess(expected.balls[static_cast<std::size_t>(element)]);
  double least = infinity;
  for (const Ball& ball : found->second) least = std::min(least, excess(ball));
  return least;
}

bool is_same_or_undecided(const BallTensor& expected, const Tensor& a, const Tensor& b, int64_t element) {
  const auto at = static_cast<std::size_t>(element);
  if (!is_floating(expected.dtype)) {
    return expected.integers[at].undecided != Undecided::No || a.get_integer(element) == b.get_integer(element);
  }
  const Ball& ball = expected.balls[at];
  if (!ball.decided()) return true;
  const double x = a.get_double(element);
  const double y = b.get_double(element);
  // What is NaN or a number by the sign of a zero or of another NaN may be either in each run.
  if (std::isnan(x) != std::isnan(y)) return ball.may_nan;
  return x == y || std::isnan(x);
}

}  // namespace parallax
