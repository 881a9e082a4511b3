// The transfer functions of balls beside what they are in real numbers: one line each, for the test against MPFR.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "core/limits.h"
#include "ops/ball_activations.h"
#include "ops/ball_functions.h"
#include "ops/ball_pairs.h"
#include "ops/ball_special.h"
#include "tests/soundness/mpfr_real.h"

namespace parallax::transfer {

using Real = MpfrReal;

// What an implementation may be off by, beside what its operands bring.
enum class Error : uint8_t {
  None,      // an operand is handed on, or the result is always exact
  Rounding,  // one rounding, where the dtype does not hold the result
  Sum,       // the same; to the nearest, no more than one operand where the other is a number of the dtype
  Root,
  Function,
  FunctionButOne,  // where it is 1, that is exact: C99 has pow(1, y) and pow(x, 0) so
};

struct Case {
  const char* name;
  Ball (*ball)(const BallMath& math, const Ball& x, const Ball& y);
  Real (*real)(const Real& x, const Real& y);
  Error error;
  double reach;
  std::vector<double> breakpoints = {};
  bool pair = false;
  int decided_percent = 60;  // of the balls, at least
  bool huge = true;          // it is tried on numbers up to the largest
};

template <Ball (BallMath::*function)(const Ball& x) const>
Ball member1(const BallMath& math, const Ball& x, const Ball&) {
  return (math.*function)(x);
}
template <Ball (BallMath::*function)(const Ball& x, const Ball& y) const>
Ball member2(const BallMath& math, const Ball& x, const Ball& y) {
  return (math.*function)(x, y);
}
template <Ball (*function)(const BallMath& math, const Ball& x)>
Ball free1(const BallMath& math, const Ball& x, const Ball&) {
  return function(math, x);
}
template <Ball (*function)(const BallMath& math, const Ball& x, const Ball& y)>
Ball free2(const BallMath& math, const Ball& x, const Ball& y) {
  return function(math, x, y);
}
template <Real::Unary function>
inline Real real1(const Real& x, const Real&) {
  return Real::of(function, x);
}
template <Real::Binary function>
inline Real real2(const Real& x, const Real& y) {
  return Real::of(function, x, y);
}

inline Real exp(const Real& x) { return Real::of(mpfr_exp, x); }
inline Real erfc(const Real& x) { return Real::of(mpfr_erfc, x); }
inline Real tanh(const Real& x) { return Real::of(mpfr_tanh, x); }
inline Real log1p(const Real& x) { return Real::of(mpfr_log1p, x); }
inline Real expm1(const Real& x) { return Real::of(mpfr_expm1, x); }
inline Real sqrt(const Real& x) { return Real::of(mpfr_sqrt, x); }
inline Real logistic(const Real& x) { return Real(1) / (Real(1) + exp(-x)); }
// Beyond MPFR's exponents the exponential adds nothing.
inline Real softplus(const Real& x) { return Real(1000) < x ? x : log1p(exp(x)); }
// Far out by the first two terms of its asymptotic series.
inline Real scaled_erfc(const Real& x) {
  if (x < Real(1e4)) return exp(x * x) * erfc(x);
  return (Real(1) - Real(0.5) / (x * x)) / (x * sqrt(pi()));
}
inline Real rint_of(int (*function)(mpfr_ptr, mpfr_srcptr), const Real& x) {
  Real result;
  function(result.get(), x.get());
  return result;
}
inline Real lgamma(const Real& x, const Real&) {
  Real result;
  int sign = 0;
  mpfr_lgamma(result.get(), &sign, x.get(), MPFR_RNDN);
  return result;
}
inline Real clamped(const Real& x, double low, double high) {
  return Real::of(mpfr_min, Real::of(mpfr_max, x, Real(low)), Real(high));
}

inline std::vector<Case> arithmetic_cases() {
  return {
      {"add", member2<&BallMath::add>, real2<mpfr_add>, Error::Sum, 20, {}, true},
      {"sub", member2<&BallMath::sub>, real2<mpfr_sub>, Error::Sum, 20, {}, true},
      {"mul", member2<&BallMath::mul>, real2<mpfr_mul>, Error::Rounding, 20, {}, true},
      {"div", member2<&BallMath::div>, real2<mpfr_div>, Error::Rounding, 20, {}, true},
      {"maximum", member2<&BallMath::maximum>, real2<mpfr_max>, Error::None, 20, {}, true},
      {"minimum", member2<&BallMath::minimum>, real2<mpfr_min>, Error::None, 20, {}, true},
      {"mul_same", member1<&BallMath::mul_same>, real1<mpfr_sqr>, Error::Rounding, 20},
      {"neg", member1<&BallMath::neg>, real1<mpfr_neg>, Error::None, 20},
      {"abs", member1<&BallMath::abs>, real1<mpfr_abs>, Error::None, 20},
      {"relu", member1<&BallMath::relu>, [](const Real& x, const Real&) { return Real::of(mpfr_max, x, Real(0)); },
       Error::None, 20},
      {"sqrt", member1<&BallMath::sqrt>, real1<mpfr_sqrt>, Error::Root, 20, {0, 1, 4}, false, 40},
      {"reciprocal", [](const BallMath& m, const Ball& x, const Ball&) { return ball_reciprocal(m, x, true); },
       [](const Real& x, const Real&) { return Real(1) / x; }, Error::Rounding, 20},
      {"floor",
       free1<ball_floor>,
       [](const Real& x, const Real&) { return rint_of(mpfr_floor, x); },
       Error::None,
       20,
       {-1, 2, 7}},
      {"ceil",
       free1<ball_ceil>,
       [](const Real& x, const Real&) { return rint_of(mpfr_ceil, x); },
       Error::None,
       20,
       {-1, 2, 7}},
      {"trunc",
       free1<ball_trunc>,
       [](const Real& x, const Real&) { return rint_of(mpfr_trunc, x); },
       Error::None,
       20,
       {-1, 2, 7}},
      {"round",
       free1<ball_round>,
       [](const Real& x, const Real&) { return rint_of(mpfr_roundeven, x); },
       Error::None,
       20,
       {-1.5, 0.5, 2.5}},
      {"frac",
       free1<ball_frac>,
       [](const Real& x, const Real&) { return x - rint_of(mpfr_trunc, x); },
       Error::None,
       20,
       {-1, 2, 7}},
      {"hypot", free2<ball_hypot>, real2<mpfr_hypot>, Error::Function, 20, {}, true},
  };
}

inline std::vector<Case> function_cases() {
  return {
      {"exp", member1<&BallMath::exp>, real1<mpfr_exp>, Error::Function, 30},
      {"exp2", free1<ball_exp2>, real1<mpfr_exp2>, Error::Function, 30},
      {"expm1", free1<ball_expm1>, real1<mpfr_expm1>, Error::Function, 30},
      {"log", free1<ball_log>, real1<mpfr_log>, Error::Function, 20, {0, 1}, false, 40},
      {"log2", free1<ball_log2>, real1<mpfr_log2>, Error::Function, 20, {0, 1}, false, 40},
      {"log10", free1<ball_log10>, real1<mpfr_log10>, Error::Function, 20, {0, 1}, false, 40},
      {"log1p", free1<ball_log1p>, real1<mpfr_log1p>, Error::Function, 3, {-1, 0}},
      {"rsqrt",
       [](const BallMath& m, const Ball& x, const Ball&) { return ball_rsqrt(m, x, true); },
       real1<mpfr_rec_sqrt>,
       Error::Function,
       20,
       {0, 1},
       false,
       40},
      {"sigmoid", member1<&BallMath::sigmoid>, [](const Real& x, const Real&) { return logistic(x); }, Error::Function,
       30},
      {"tanh", member1<&BallMath::tanh>, real1<mpfr_tanh>, Error::Function, 10},
      {"acos", member1<&BallMath::acos>, real1<mpfr_acos>, Error::Function, 1.2, {-1, 1}},
      {"acosh", member1<&BallMath::acosh>, real1<mpfr_acosh>, Error::Function, 20, {1}, false, 40},
      {"sin", member1<&BallMath::sin>, real1<mpfr_sin>, Error::Function, 20, {1.5707963267948966, 3.141592653589793}},
      {"cos", member1<&BallMath::cos>, real1<mpfr_cos>, Error::Function, 20, {1.5707963267948966, 3.141592653589793}},
      {"tan", free1<ball_tan>, real1<mpfr_tan>, Error::Function, 10, {1.5707963267948966}, false, 40},
      {"asin", free1<ball_asin>, real1<mpfr_asin>, Error::Function, 1.2, {-1, 1}},
      {"atan", free1<ball_atan>, real1<mpfr_atan>, Error::Function, 20},
      {"sinh", free1<ball_sinh>, real1<mpfr_sinh>, Error::Function, 10},
      {"cosh", free1<ball_cosh>, real1<mpfr_cosh>, Error::Function, 10},
      {"asinh", free1<ball_asinh>, real1<mpfr_asinh>, Error::Function, 20},
      {"atanh", free1<ball_atanh>, real1<mpfr_atanh>, Error::Function, 1.2, {-1, 1}},
      {"sinc",
       free1<ball_sinc>,
       [](const Real& x, const Real&) {
         const Real angle = Real(std::numbers::pi) * x;
         return x.nearest() == 0 ? Real(1) : Real::of(mpfr_sin, angle) / angle;
       },
       Error::None,
       6,
       {1, 1.4302966531242}},
      {"erf", free1<ball_erf>, real1<mpfr_erf>, Error::Function, 5},
      {"erfc", free1<ball_erfc>, real1<mpfr_erfc>, Error::Function, 8},
      {"lgamma", free1<ball_lgamma>, lgamma, Error::Function, 12, {1, 1.4616321449683622, 2}, false, 20, false},
      {"digamma",
       [](const BallMath& m, const Ball& x, const Ball&) { return ball_digamma(m, x, true); },
       real1<mpfr_digamma>,
       Error::None,
       12,
       {1.4616321449683622},
       false,
       20,
       false},
      {"pow",
       [](const BallMath& m, const Ball& x, const Ball& y) { return ball_pow(m, x, y, true); },
       real2<mpfr_pow>,
       Error::FunctionButOne,
       5,
       {1, 2, 0.5},
       true,
       10},
      {"atan2",
       [](const BallMath& m, const Ball& y, const Ball& x) { return ball_atan2(m, y, x, true, true); },
       real2<mpfr_atan2>,
       Error::Function,
       20,
       {},
       true},
      {"logaddexp",
       free2<ball_logaddexp>,
       [](const Real& x, const Real& y) {
         const Real most = Real::of(mpfr_max, x, y);
         return most + log1p(exp(Real::of(mpfr_min, x, y) - most));
       },
       Error::Rounding,
       10,
       {},
       true},
      {"xlogy",
       free2<ball_xlogy>,
       [](const Real& x, const Real& y) { return x.nearest() == 0 ? Real(0) : x * Real::of(mpfr_log, y); },
       Error::Rounding,
       10,
       {0, 1},
       true,
       10},
  };
}

inline std::vector<Case> activation_cases() {
  return {
      {"gelu",
       free1<ball_gelu>,
       [](const Real& x, const Real&) { return x * erfc(-x / sqrt(Real(2))) / Real(2); },
       Error::Rounding,
       8,
       {-0.7517915246935645}},
      {"gelu by tanh",
       free1<ball_gelu_tanh>,
       [](const Real& x, const Real&) {
         const Real inner = sqrt(Real(2) / pi()) * (x + Real(44715) / Real(1000000) * x * x * x);
         return x * logistic(inner + inner);
       },
       Error::Rounding,
       8,
       {-0.75246}},
      {"silu",
       free1<ball_silu>,
       [](const Real& x, const Real&) { return x * logistic(x); },
       Error::Rounding,
       20,
       {-1.278464542761074}},
      {"mish",
       free1<ball_mish>,
       [](const Real& x, const Real&) { return x * tanh(softplus(x)); },
       Error::Rounding,
       10,
       {-1.1924312145154305}},
      {"log_sigmoid", free1<ball_log_sigmoid>, [](const Real& x, const Real&) { return -softplus(-x); },
       Error::Rounding, 20},
      {"hardsigmoid",
       free1<ball_hardsigmoid>,
       [](const Real& x, const Real&) { return clamped(x + Real(3), 0, 6) / Real(6); },
       Error::Rounding,
       10,
       {-3, 3}},
      {"hardswish",
       free1<ball_hardswish>,
       [](const Real& x, const Real&) { return x * clamped(x + Real(3), 0, 6) / Real(6); },
       Error::Rounding,
       10,
       {-3, 3, -1.5}},
      {"ndtr", free1<ball_ndtr>, [](const Real& x, const Real&) { return erfc(-x / sqrt(Real(2))) / Real(2); },
       Error::Rounding, 8},
      {"erfcx", free1<ball_erfcx>, [](const Real& x, const Real&) { return scaled_erfc(x); }, Error::Function, 5},
      {"entr",
       free1<ball_entr>,
       [](const Real& x, const Real&) {
         if (x.nearest() == 0) return Real(0);
         return x.nearest() < 0 ? Real(-infinity) : -x * Real::of(mpfr_log, x);
       },
       Error::Rounding,
       5,
       {0, 0.36787944117144233, 1}},
      {"elu",
       [](const BallMath& m, const Ball& x, const Ball&) {
         return ball_elu(m, x, Ball::exact(1), Ball::exact(1), Ball::exact(1));
       },
       [](const Real& x, const Real&) { return x.nearest() > 0 ? x : expm1(x); }, Error::None, 10},
  };
}

}  // namespace parallax::transfer
