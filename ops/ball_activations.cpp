#include "ops/ball_activations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_functions.h"

namespace parallax {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }

// A function x g(x) with g between 0 and 1, smooth, like a line on the right and like 0 on the left.
struct Gate {
  double (*value)(double x);
  double (*derivative)(double x);
  double steepest;  // the derivative's largest magnitude
  double bend;      // the second derivative's
};

double normal(double x) { return std::erfc(-x * std::numbers::sqrt2 / 2) / 2; }
double normal_density(double x) { return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2; }

// The derivative is largest at sqrt(2), 1.1290; the second derivative at 0, 2 / sqrt(2 pi).
constexpr Gate gelu = {[](double x) { return x * normal(x); },
                       [](double x) { return normal(x) + x * normal_density(x); }, 1.1290, 0.7979};

// 1 + tanh(y) is 2 logistic(2 y). The extremes, from a grid of 2^-12: 1.12900 and 0.79788.
double tanh_argument(double x) {
  return 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (x + 0.044715 * x * x * x);
}
constexpr Gate gelu_tanh = {[](double x) { return x * logistic(tanh_argument(x)); },
                            [](double x) {
                              const double gate = logistic(tanh_argument(x));
                              const double slope =
                                  2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (1 + 3 * 0.044715 * x * x);
                              return gate + x * gate * (1 - gate) * slope;
                            },
                            1.1290, 0.7980};

// The derivative is largest at 2.3994, 1.0998; the second derivative at 0, 1 / 2.
constexpr Gate silu = {[](double x) { return x * logistic(x); },
                       [](double x) { return logistic(x) * (1 + x * (1 - logistic(x))); }, 1.0999, 0.5};

// The extremes, from a grid of 2^-12: 1.08850 and 0.64420.
double mish_gate(double x) { return std::tanh(softplus(x)); }
constexpr Gate mish = {[](double x) { return x * mish_gate(x); },
                       [](double x) {
                         const double gate = mish_gate(x);
                         return gate + x * (1 - gate * gate) * logistic(x);
                       },
                       1.0886, 0.6501};

// What -inf gives: eager has -inf times 0, others 0.
constexpr Ball left_of_gate = {0, 0, true, false, Undecided::No, -1};

// What infinities give: as it is on the right.
Ball gated(const BallMath& math, const Ball& x, const Gate& gate, double error) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) {
    return by_sign(x, [](const Ball& infinite) { return infinite.mid < 0 ? left_of_gate : infinite; });
  }
  // A factor of 0 makes the product 0.
  if (x.is_exact() && x.mid == 0) return Ball::exact(0);
  const double mid = gate.value(x.mid);
  const double curved =
      std::fabs(gate.derivative(x.mid)) * (1 + 0x1p-40) * x.radius + gate.bend * x.radius * x.radius / 2;
  const double inherited = std::min(gate.steepest * x.radius, curved);
  Ball result = math.with_error(mid, inherited, error + 0x1p-48 * std::fabs(mid));
  if (!result.decided()) return result;
  result.may_nan = x.may_nan || x.may_inf;
  if (can_be_minus_infinity(x)) result = hull(result, left_of_gate);
  return can_be_plus_infinity(x) ? including(result, infinity) : result;
}

// `below` where x is at most `at`, else `above`; both may see a value a little past it.
template <class Below, class Above>
Ball split(const Ball& x, double at, Below below, Above above) {
  if (!x.decided() || is_definite_nan(x)) return x;
  const Ball known = {x.mid, x.radius, false, false, Undecided::No};
  Ball result;
  if (x.high() <= at) {
    result = below(known);
  } else if (x.low() > at) {
    result = above(known);
  } else {
    result = hull(below(ball_of_interval(x.low(), at)), above(ball_of_interval(at, x.high())));
  }
  if (x.may_inf && can_be_minus_infinity(x)) result = hull(result, below(Ball::exact(-infinity)));
  if (x.may_inf && can_be_plus_infinity(x)) result = hull(result, above(Ball::exact(infinity)));
  return x.may_nan ? including(result, nan) : result;
}

// A factor of 1 does not round.
Ball times(const BallMath& math, const Ball& factor, const Ball& x) {
  return factor.is_exact() && factor.mid == 1 ? x : math.mul(factor, x);
}

// The error of `count` functions in a row, of which each hands the relative error before it on: in units of the result
// for the last one only, for the others relative. What the others are off by may lift the last one's result over a
// power of two, where its unit is larger.
double chained_error(const BallMath& math, double most, int count) {
  const double others = std::pow(1 + math.function_error(1), count - 1);
  return math.function_error(most * others) + (others - 1) * most + (count - 1) * math.function_error(0);
}

// The error of x / (1 + exp(-x)) where the quotient is x times a gate from `least` to `most`. The sum is 1 / gate, and
// the exponential 1 - gate of it: the error of the one counts that much less in the other.
double quotient_error(const BallMath& math, double reach, double least, double most) {
  const double exponential = math.as(FunctionKind::Exp, reach).function_error(1) * (1 - least);
  const double kept = (1 - exponential) * (1 - math.rounding(1));
  // The sum is 1 at least, whatever the exponential is.
  const double error = kept > 0 ? reach * std::min(most * (1 / kept - 1), 1.0) : reach;
  const double quotient = reach * most + error;
  return error + std::max(math.rounding(quotient), math.as(FunctionKind::Division).function_error(quotient));
}

// Eager multiplies x with 1 + erf before it halves the product, in f32 for halves too (f64 is halved first): from half
// the largest number on that overflows. Of infinity it makes infinity one by one, and NaN in vectors.
Ball doubled_before_halved(const BallMath& math, const Ball& x, const Ball& result) {
  const bool overflows = highest(x) > info(DType::F32).max_finite / 2;
  if (math.dtype() == DType::F64 || !result.decided() || is_definite_nan(x) || !overflows) return result;
  return including(can_be_plus_infinity(x) ? including(result, nan) : result, infinity);
}

}  // namespace

// x / 2 (1 + erf(x / sqrt 2)): the function's error, or erf's where it is made of that; the rounded argument's, at most
// 2 roundings times z erf'(z) < 0.49; the sum's rounding, of a value up to 2; and of the products.
Ball ball_gelu(const BallMath& math, const Ball& x) {
  const double of_erf = std::max(math.function_error(1), math.as(FunctionKind::Erf).function_error(1));
  const double cancelled = of_erf + 4 * math.rounding(1);
  const double products = 3 * math.rounding(reach(x) * normal(x.high()));
  return doubled_before_halved(math, x, gated(math, x, gelu, reach(x) / 2 * cancelled + products));
}

// x / 2 (1 + tanh(y)): likewise, y after five roundings times y tanh'(y) < 0.45.
Ball ball_gelu_tanh(const BallMath& math, const Ball& x) {
  const double cancelled = math.function_error(1) + 6 * math.rounding(1);
  const double products = 3 * math.rounding(reach(x) * logistic(tanh_argument(x.high())));
  return gated(math, x, gelu_tanh, reach(x) / 2 * cancelled + products);
}

// The sigmoid's error and the product's, or those of a quotient; either ends early, where the exponential overflows.
Ball ball_silu(const BallMath& math, const Ball& x) {
  const double largest = info(math.dtype()).max_finite;
  const double least = logistic(x.low());
  const double most = logistic(x.high());
  const double early = least < 2 / largest ? 1 / largest : 0;
  const double gate = math.function_error(most);
  const double product = reach(x) * gate + math.rounding(reach(x) * (most + gate));
  return gated(math, x, silu, std::max(product, quotient_error(math, reach(x), least, most)) + reach(x) * early);
}

// tanh, log1p and exp in a row, and the product.
Ball ball_mish(const BallMath& math, const Ball& x) {
  const double most = mish_gate(x.high());
  // A tanh that is off absolutely is no further off than the gate itself, which is what tells a wrong sign from it.
  const double of_tanh = std::min(math.as(FunctionKind::Tanh).function_error(most), most);
  const double gate = std::max(chained_error(math, most, 3), of_tanh);
  return gated(math, x, mish, reach(x) * gate + math.rounding(reach(x) * (most + gate)));
}

// min(x, 0) - log1p(exp(-|x|)): exp and log1p of at most log 2, and the difference's rounding.
Ball ball_log_sigmoid(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  const auto value = [](double y) { return std::min(y, 0.0) - std::log1p(std::exp(-std::fabs(y))); };
  const auto at = [&](double y) { return std::isfinite(y) ? Ball::exact(value(y)) : Ball::exact(std::min(y, 0.0)); };
  if (is_definite_infinity(x)) {
    return by_sign(x, [&](const Ball& infinite) {
      Ball limit = infinite.mid < 0 ? infinite : math.with_error(0, 0, math.function_error(0));
      limit.may_nan = infinite.may_nan;
      return limit;
    });
  }
  const double mid = value(x.mid);
  const double most = std::fabs(value(x.low()));
  const double inherited = std::max(most - std::fabs(mid), std::fabs(mid) - std::fabs(value(x.high())));
  // Or softplus of -x, by an exponential of at most 1 and log1p.
  const double soft = std::min(most, std::numbers::ln2);
  const double parts =
      math.as(FunctionKind::Log1p).function_error(soft) + math.as(FunctionKind::Exp, reach(x)).function_error(1) / 2;
  const double logarithm = std::max(chained_error(math, soft, 2), parts);
  const double error = logarithm + math.rounding(most + logarithm);
  Ball result = math.with_error(mid, inherited, error + 0x1p-50 * most);
  result.may_nan = x.may_nan;
  if (can_be_minus_infinity(x)) result = hull(result, at(-infinity));
  return can_be_plus_infinity(x) ? hull(result, at(infinity)) : result;
}

Ball ball_elu(const BallMath& math, const Ball& x, const Ball& coefficient, const Ball& scale, const Ball& above) {
  const auto bent = [&](const Ball& y) { return times(math, coefficient, ball_expm1(math, times(math, scale, y))); };
  const auto straight = [&](const Ball& y) { return times(math, above, y); };
  // Zero may lie on either side, and is NaN times an infinite factor on one of them.
  if (x.is_exact() && x.mid == 0) return hull(bent(x), straight(x));
  return split(x, 0, bent, straight);
}

Ball ball_leaky_relu(const BallMath& math, const Ball& x, const Ball& slope) {
  return split(x, 0, [&](const Ball& y) { return times(math, slope, y); }, [](const Ball& y) { return y; });
}

Ball ball_softplus(const BallMath& math, const Ball& x, const Ball& beta, const Ball& threshold) {
  const Ball scaled = times(math, beta, x);
  const IntegerBall straight = less(threshold, scaled);
  if (straight.undecided == Undecided::No && straight.value) return x;
  // exp and log1p in a row. A large exponential overflows, where a high threshold lets it.
  Ball bent = ball_image(math, scaled, softplus);
  if (bent.decided() && std::isfinite(bent.mid)) {
    const double most = softplus(scaled.high());
    const double exponential = std::min(std::exp(scaled.high()), 0x1p100);
    const double parts = math.as(FunctionKind::Log1p).function_error(most) +
                         math.as(FunctionKind::Exp, reach(scaled)).function_error(exponential) / (1 + exponential);
    bent = widened(math, bent, std::max(chained_error(math, most, 2) - math.function_error(most), parts));
    const double longest = std::log(largest_computed(math)) - 1;
    if (scaled.high() > longest) {
      // Or stays at the largest number, rounded toward zero.
      if (math.profile().rounding_mode_open) bent = including(bent, longest);
      bent.may_inf = true;
    }
  }
  if (!beta.is_exact() || beta.mid != 1) bent = math.div(bent, beta);
  return straight.undecided == Undecided::No ? bent : hull(bent, x);
}

// How far x / 6 + 1/2 may be from (x + 3) / 6, where a profile lets the gate be that: the sum cancels towards -3, but
// for the errors of the product. The sixth is off by a unit roundoff of itself, which twice its half ulp covers; the
// product is rounded once more. From 3 on the gate is open and 1.
double cancelled_in_gate(const BallMath& math, const Ball& x) {
  if (!math.allows(Form::CancellingGate)) return 0;
  const double bend = std::min(reach(x), 3.0);
  return math.rounding(bend / 3) + math.rounding(bend / 6);
}

// Divided by 6, or multiplied by the rounded 1/6. That is off by half a rounding of every dtype, relatively, so that
// the product of what is exact is nearer to it than to its neighbours, and is rounded to it. Rounded toward zero the
// sixth may be off by a whole one, and the product falls to the number below.
Ball ball_hardsigmoid(const BallMath& math, const Ball& x) {
  const Ball shifted = math.add(x, Ball::exact(3));
  const Ball gate = math.minimum(math.maximum(shifted, Ball::exact(0)), Ball::exact(6));
  const Ball quotient = math.div(gate, Ball::exact(6));
  const bool rounding_mode_open = math.profile().rounding_mode_open;
  if (quotient.is_exact() && (quotient.mid == 0 || (quotient.mid == 1 && !rounding_mode_open))) return quotient;
  const double of_sixth = math.rounding(reach(quotient));
  double error = cancelled_in_gate(math, x);
  if (!quotient.is_exact()) {
    error += of_sixth;
  } else if (rounding_mode_open) {
    error += of_sixth + math.rounding(reach(quotient) + of_sixth);
  }
  return error == 0 ? quotient : widened(math, quotient, error);
}

// Likewise; XNNPACK multiplies x by the rounded 1/6 first: three errors, two of them relative (one is twice a rounding
// of the result at most).
Ball hardswish_of_one_sign(const BallMath& math, const Ball& x) {
  if (is_definite_infinity(x) && x.mid < 0) return left_of_gate;
  const Ball shifted = math.add(x, Ball::exact(3));
  const Ball gate = math.minimum(math.maximum(shifted, Ball::exact(0)), Ball::exact(6));
  const Ball quotient = math.div(math.mul(x, gate), Ball::exact(6));
  if (quotient.is_exact() && quotient.mid == 0) return quotient;
  const double error = (quotient.is_exact() ? 4 : 3) * math.rounding(reach(quotient));
  return widened(math, quotient, error + std::min(reach(x), 3.0) * cancelled_in_gate(math, x));
}

Ball ball_hardswish(const BallMath& math, const Ball& operand) {
  return by_sign(operand, [&](const Ball& x) { return hardswish_of_one_sign(math, x); });
}

Ball ball_hardshrink(const BallMath& math, const Ball& x, const Ball& lambda) {
  const IntegerBall inside = less_equal(math.abs(x), lambda);
  if (inside.undecided != Undecided::No) return hull(x, Ball::exact(0));
  return inside.value ? Ball::exact(0) : x;
}

Ball ball_softshrink(const BallMath& math, const Ball& x, const Ball& lambda) {
  if (is_definite_nan(x)) return x;
  const IntegerBall over = less(lambda, x);
  const IntegerBall under = less(x, math.neg(lambda));
  const bool known = over.undecided == Undecided::No && under.undecided == Undecided::No;
  if (known && over.value) return math.sub(x, lambda);
  if (known && under.value) return math.add(x, lambda);
  Ball result = Ball::exact(0);
  if (over.undecided != Undecided::No) result = hull(result, math.sub(x, lambda));
  if (under.undecided != Undecided::No) result = hull(result, math.add(x, lambda));
  return result;
}

Ball ball_threshold(const Ball& x, const Ball& threshold, const Ball& value) {
  const IntegerBall under = less_equal(x, threshold);
  if (under.undecided != Undecided::No) return hull(value, x);
  return under.value ? value : x;
}

}  // namespace parallax
