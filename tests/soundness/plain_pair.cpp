// Functions of two or three elements.
#include <algorithm>
#include <numbers>
#include <string>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Domain = PlainOp::Domain;

// a + alpha b.
double scaled_sum(Perturbed& p, const PlainCall& call, double a, double b, double sign) {
  const double alpha = call.real(arg::alpha) * sign;
  if (std::fabs(alpha) == 1) return p.add(a, alpha * b);
  return p.fma(p.number(alpha), b, a);
}

double add(Perturbed& p, const PlainCall& call, double a, double b) { return scaled_sum(p, call, a, b, 1); }
double sub(Perturbed& p, const PlainCall& call, double a, double b) { return scaled_sum(p, call, a, b, -1); }
double rsub(Perturbed& p, const PlainCall& call, double a, double b) { return scaled_sum(p, call, b, a, -1); }
double mul(Perturbed& p, const PlainCall&, double a, double b) { return p.mul(a, b); }
double div(Perturbed& p, const PlainCall&, double a, double b) { return p.div(a, b); }
double div_by_number(Perturbed& p, const PlainCall&, double a, double b) {
  return p.takes(Form::ReciprocalProduct) ? p.mul(a, p.div(1, b)) : p.div(a, b);
}
double pow(Perturbed& p, const PlainCall&, double a, double b) { return p.element().pow(a, b); }
double fmod(Perturbed&, const PlainCall&, double a, double b) { return std::fmod(a, b); }
double remainder(Perturbed& p, const PlainCall&, double a, double b) {
  const double part = std::fmod(a, b);
  return part == 0 || (part < 0) == (b < 0) ? part : p.add(part, b);
}
double logaddexp(Perturbed& p, const PlainCall&, double a, double b) {
  const double distance = p.sub(std::min(a, b), std::max(a, b));
  const double power = p.fn([](auto x) { return std::exp(x); }, distance);
  return p.add(std::max(a, b), p.fn([](auto x) { return std::log1p(x); }, power));
}
double xlogy(Perturbed& p, const PlainCall&, double a, double b) {
  return a == 0 ? 0 : p.mul(a, p.fn([](auto x) { return std::log(x); }, b));
}
double xlog1py(Perturbed& p, const PlainCall&, double a, double b) {
  return a == 0 ? 0 : p.mul(a, p.fn([](auto x) { return std::log1p(x); }, b));
}
double logaddexp2(Perturbed& p, const PlainCall&, double a, double b) {
  const double distance = p.sub(std::min(a, b), std::max(a, b));
  const double power = p.fn([](auto x) { return std::exp2(x); }, distance);
  const double logarithm = p.fn([](auto x) { return std::log1p(x); }, power);
  return p.fma(logarithm, p.constant(1 / std::numbers::ln2), std::max(a, b));
}

// From what fmod leaves, as Python has it. The floor of the rounded quotient is another function: 1.0 // 0.1 is 9.
double floor_divide(Perturbed& p, const PlainCall&, double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = p.div(p.sub(a, rest), b);
  if (rest != 0 && (b < 0) != (rest < 0)) quotient = p.sub(quotient, 1);
  const double floored = std::floor(quotient);
  return quotient - floored > 0.5 ? p.add(floored, 1) : floored;
}

double divide(Perturbed& p, const PlainCall& call, double a, double b) {
  if (!call.has(arg::rounding_mode)) return p.div(a, b);
  if (call.text(arg::rounding_mode) == "floor") return floor_divide(p, call, a, b);
  return std::trunc(p.div(a, b));
}

double addcmul(Perturbed& p, const PlainCall& call, double self, double a, double b) {
  const double value = p.number(call.real(arg::value));
  return p.other_form() ? p.fma(value, p.mul(a, b), self) : p.fma(p.mul(value, a), b, self);
}
double addcdiv(Perturbed& p, const PlainCall& call, double self, double a, double b) {
  const double value = p.number(call.real(arg::value));
  return p.other_form() ? p.fma(value, p.div(a, b), self) : p.add(self, p.div(p.mul(value, a), b));
}
double lerp(Perturbed& p, const PlainCall&, double self, double end, double weight) {
  const double way = p.sub(end, self);
  if (p.other_form() && std::fabs(weight) >= 0.5) return p.sub(end, p.mul(way, p.sub(1, weight)));
  return p.fma(weight, way, self);
}

// Tensors next to each other along a dim.
void cat(Perturbed&, const PlainCall& call, std::vector<PlainTensor>& results) {
  const ValueList& parts = call.values(arg::tensors);
  int along = static_cast<int>(call.integer(arg::dim));
  if (along < 0) along += call.result_sizes().size();
  std::size_t inner = 1;
  for (int dim = along + 1; dim < call.result_sizes().size(); ++dim) {
    inner *= static_cast<std::size_t>(call.result_sizes()[dim]);
  }
  std::size_t start = 0;
  for (const ValueId part : parts) {
    const PlainTensor& from = call.elements_of_value(part);
    // The empty vector joins anything.
    if (call.meta(part).layout.sizes == Dims{0}) continue;
    const std::size_t run = static_cast<std::size_t>(call.meta(part).layout.sizes[along]) * inner;
    const std::size_t whole = static_cast<std::size_t>(call.result_sizes()[along]) * inner;
    for (std::size_t i = 0; i < from.size(); ++i) results[0][i / run * whole + start + i % run] = from[i];
    start += run;
  }
}

template <auto function>
double library(Perturbed& p, const PlainCall&, double a, double b) {
  return p.fn(function, a, b);
}

}  // namespace

std::vector<PlainOp> plain_pair_ops() {
  return {
      {"binary", "aten.add.Tensor", add},
      {"binary", "aten.add.Scalar", add},
      {"binary", "aten.sub.Tensor", sub},
      {"binary", "aten.sub.Scalar", sub},
      {"binary", "aten.rsub.Tensor", rsub},
      {"binary", "aten.mul.Tensor", mul},
      {"binary", "aten.mul.Scalar", mul},
      {"binary", "aten.div.Tensor", div, Domain::Positive},
      {"binary", "aten.div.Scalar", div_by_number},
      {"binary", "aten.maximum.default",
       [](Perturbed& p, const PlainCall&, double a, double b) { return p.maximum(a, b); }},
      {"binary", "aten.minimum.default",
       [](Perturbed& p, const PlainCall&, double a, double b) { return p.minimum(a, b); }},
      {"binary", "aten.fmod.Tensor", fmod, Domain::Positive},
      {"binary", "aten.remainder.Tensor", remainder, Domain::Positive},
      {"binary", "aten.remainder.Scalar", remainder, Domain::Positive},
      {"binary", "aten.remainder.Scalar_Tensor", remainder, Domain::Positive},
      {"binary", "aten.rsub.Scalar", rsub},
      {"binary", "aten.div.Tensor_mode", divide, Domain::Positive},
      {"binary", "aten.div.Scalar_mode", divide, Domain::Positive},
      {"binary", "aten.floor_divide.default", floor_divide, Domain::Positive},
      {"binary", "aten.floor_divide.Scalar", floor_divide, Domain::Positive},
      {"binary", "aten.copysign.Tensor",
       [](Perturbed&, const PlainCall&, double a, double b) { return std::copysign(a, b); }},

      {"binary function", "aten.pow.Tensor_Tensor", pow, Domain::Positive},
      {"binary function", "aten.pow.Tensor_Scalar", pow, Domain::Positive},
      {"binary function", "aten.atan2.default", library<[](auto y, auto x) { return std::atan2(y, x); }>,
       Domain::Positive},
      {"binary function", "aten.hypot.default", library<[](auto x, auto y) { return std::hypot(x, y); }>},
      {"binary function", "aten.logaddexp.default", logaddexp},
      {"binary function", "aten.pow.Scalar", pow, Domain::Positive},
      {"binary function", "aten.float_power.Tensor_Tensor", pow, Domain::Positive},
      {"binary function", "aten.float_power.Tensor_Scalar", pow, Domain::Positive},
      {"binary function", "aten.float_power.Scalar", pow, Domain::Positive},
      {"binary function", "aten.logaddexp2.default", logaddexp2},
      {"binary function", "aten.xlogy.Tensor", xlogy, Domain::Positive},
      {"binary function", "aten.xlogy.Scalar_Other", xlogy, Domain::Positive},
      {"binary function", "aten.xlogy.Scalar_Self", xlogy, Domain::Positive},
      {"binary function", "aten.special_xlog1py.default", xlog1py, Domain::Positive},
      {"binary function", "aten.special_xlog1py.other_scalar", xlog1py, Domain::Positive},
      {"binary function", "aten.special_xlog1py.self_scalar", xlog1py, Domain::Positive},

      {"ternary", "aten.addcmul.default", addcmul},
      {"ternary", "aten.addcdiv.default", addcdiv, Domain::Positive},
      {"ternary", "aten.lerp.Tensor", lerp},
      {"ternary", "aten.lerp.Scalar", lerp},
      {"ternary", "aten.where.self",
       [](Perturbed&, const PlainCall&, double condition, double a, double b) { return condition != 0 ? a : b; },
       Domain::Any, true},

      {"copy", "aten.cat.default", cat},
  };
}

}  // namespace parallax
