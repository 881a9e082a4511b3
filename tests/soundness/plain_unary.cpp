// Functions of one element, from their formulas, and what moves elements without changing them.
#include <algorithm>
#include <numbers>
#include <string>

#include "tests/soundness/plain_box.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Domain = PlainOp::Domain;

// A function that libraries have as one.
template <auto function>
double library(Perturbed& p, const PlainCall&, double x) {
  return p.fn(function, x);
}

constexpr auto logistic = [](auto x) { return 1 / (1 + std::exp(-x)); };
constexpr auto exponential = [](auto x) { return std::exp(x); };
constexpr auto exponential_less_one = [](auto x) { return std::expm1(x); };
constexpr auto logarithm_of_more = [](auto x) { return std::log1p(x); };
constexpr auto tangent = [](auto x) { return std::tanh(x); };
constexpr auto error_function = [](auto x) { return std::erf(x); };

double gelu(Perturbed& p, const PlainCall& call, double x) {
  if (call.text(arg::approximate) == "tanh") {
    const double cube = p.mul(p.mul(x, x), x);
    const double inner = p.fma(p.constant(0.044715), cube, x);
    const double argument = p.mul(p.constant(std::numbers::sqrt2 * std::numbers::inv_sqrtpi), inner);
    return p.mul(p.mul(0.5, x), p.add(1, p.fn(tangent, argument)));
  }
  const double argument = p.mul(x, p.constant(1 / std::numbers::sqrt2));
  const double gate = p.add(1, p.fn(error_function, argument));
  return p.other_form() ? p.mul(p.mul(x, gate), 0.5) : p.mul(p.mul(x, 0.5), gate);
}

double silu(Perturbed& p, const PlainCall&, double x) {
  return p.other_form() ? p.div(x, p.add(1, p.fn(exponential, -x))) : p.mul(x, p.fn(logistic, x));
}

double mish(Perturbed& p, const PlainCall&, double x) {
  return p.mul(x, p.fn(tangent, p.fn(logarithm_of_more, p.fn(exponential, x))));
}

double elu_of(Perturbed& p, double x, double alpha, double scale, double input_scale) {
  if (x > 0) return p.mul(x, p.number(scale));
  const double below = p.mul(p.number(alpha), p.number(scale));
  return p.mul(p.fn(exponential_less_one, p.mul(x, p.number(input_scale))), below);
}

double elu(Perturbed& p, const PlainCall& call, double x) {
  return elu_of(p, x, call.real(arg::alpha), call.real(arg::scale), call.real(arg::input_scale));
}

double selu(Perturbed& p, const PlainCall&, double x) {
  return elu_of(p, x, 1.6732632423543772, 1.0507009873554805, 1);
}

double celu(Perturbed& p, const PlainCall& call, double x) {
  const double alpha = p.number(call.real(arg::alpha));
  if (x > 0) return x;
  return p.mul(alpha, p.fn(exponential_less_one, p.div(x, alpha)));
}

double leaky_relu(Perturbed& p, const PlainCall& call, double x) {
  return x > 0 ? x : p.mul(x, p.number(call.real(arg::negative_slope)));
}

double softplus(Perturbed& p, const PlainCall& call, double x) {
  const double beta = p.number(call.real(arg::beta));
  const double scaled = p.mul(x, beta);
  if (scaled > call.real(arg::threshold)) return x;
  return p.div(p.fn(logarithm_of_more, p.fn(exponential, scaled)), beta);
}

double log_sigmoid(Perturbed& p, const PlainCall&, double x) {
  return p.sub(std::min(x, 0.0), p.fn(logarithm_of_more, p.fn(exponential, -std::fabs(x))));
}

// And what the gradient would ask for: exp(-|x|).
void log_sigmoid_forward(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const double x = call.elements(arg::self)[i];
    results[0][i] = log_sigmoid(p, call, x);
    results[1][i] = p.fn(exponential, -std::fabs(x));
  }
}

double clamped(Perturbed& p, double x, double low, double high) { return p.minimum(p.maximum(x, low), high); }

double cancelling_gate(Perturbed& p, double x) { return clamped(p, p.fma(x, p.constant(1.0 / 6), 0.5), 0, 1); }

double hardsigmoid(Perturbed& p, const PlainCall&, double x) {
  if (p.takes(Form::CancellingGate)) return cancelling_gate(p, x);
  const double gate = clamped(p, p.add(x, 3), 0, 6);
  return p.other_form() ? p.mul(gate, p.constant(1.0 / 6)) : p.div(gate, 6);
}

double hardswish(Perturbed& p, const PlainCall&, double x) {
  const double gate = clamped(p, p.add(x, 3), 0, 6);
  if (p.takes(Form::CancellingGate)) return p.mul(x, cancelling_gate(p, x));
  return p.other_form() ? p.mul(p.mul(x, gate), p.constant(1.0 / 6)) : p.div(p.mul(x, gate), 6);
}

double hardtanh(Perturbed& p, const PlainCall& call, double x) {
  return clamped(p, x, p.number(call.real(arg::min_val)), p.number(call.real(arg::max_val)));
}

double hardshrink(Perturbed& p, const PlainCall& call, double x) {
  return std::fabs(x) <= p.number(call.real(arg::lambd)) ? 0 : x;
}

double softshrink(Perturbed& p, const PlainCall& call, double x) {
  const double lambda = p.number(call.real(arg::lambd));
  return x > lambda ? p.sub(x, lambda) : x < -lambda ? p.add(x, lambda) : 0;
}

double clamp(Perturbed& p, const PlainCall& call, double x) {
  if (call.has(arg::min)) x = p.maximum(x, p.number(call.real(arg::min)));
  return call.has(arg::max) ? p.minimum(x, p.number(call.real(arg::max))) : x;
}

double rsqrt(Perturbed& p, const PlainCall&, double x) {
  return p.fn([](auto y) { return 1 / std::sqrt(y); }, x);
}

// Of x, or of x kept between eps and 1 - eps.
double logit(Perturbed& p, const PlainCall& call, double x) {
  if (call.has(arg::eps)) {
    const double eps = p.number(call.real(arg::eps));
    x = clamped(p, x, eps, p.sub(1, eps));
  }
  return p.fn([](auto y) { return std::log(y); }, p.div(x, p.sub(1, x)));
}

double sinc(Perturbed& p, const PlainCall&, double x) {
  if (x == 0) return 1;
  const double angle = p.mul(p.constant(std::numbers::pi), x);
  return p.div(p.fn([](auto y) { return std::sin(y); }, angle), angle);
}

double round_decimals(Perturbed& p, const PlainCall& call, double x) {
  const double power = p.number(std::pow(10.0, std::fabs(call.real(arg::decimals))));
  if (call.real(arg::decimals) > 0) return p.div(std::nearbyint(p.mul(x, power)), power);
  return p.mul(std::nearbyint(p.div(x, power)), power);
}

double threshold(Perturbed& p, const PlainCall& call, double x) {
  return x <= p.number(call.real(arg::threshold)) ? p.number(call.real(arg::value)) : x;
}

// The first half of the elements along a dim, times the logistic function of the second.
void glu(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  std::size_t inner = 1;
  for (int dim = call.dim(arg::dim); dim < call.rank(arg::self); ++dim)
    inner *= static_cast<std::size_t>(call.result_sizes()[dim]);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const std::size_t value = i / inner * 2 * inner + i % inner;
    results[0][i] = p.mul(call.elements(arg::self)[value], p.fn(logistic, call.elements(arg::self)[value + inner]));
  }
}

// A number everywhere.
template <arg number>
void filled(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  std::ranges::fill(results[0], p.number(call.real(number)));
}

// `pad` counts from the last dim, before and behind; where it is negative it cuts.
void constant_pad(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  const Box input(call.sizes(arg::self), 0);
  const Box output(call.result_sizes(), 0);
  const IntList& pad = call.integers(arg::pad);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    std::vector<int64_t> at = output.coordinates(static_cast<int64_t>(i));
    for (std::size_t k = 0; k < pad.size() / 2; ++k) at[at.size() - 1 - k] -= pad[2 * k];
    const int64_t place = input.place(at);
    results[0][i] =
        place < 0 ? p.number(call.real(arg::value)) : call.elements(arg::self)[static_cast<std::size_t>(place)];
  }
}

void clone(Perturbed&, const PlainCall& call, std::vector<PlainTensor>& results) {
  results[0] = call.elements(arg::self);
}

void permute(Perturbed&, const PlainCall& call, std::vector<PlainTensor>& results) {
  const int rank = call.rank(arg::self);
  std::vector<std::size_t> step_of(static_cast<std::size_t>(rank), 1);
  for (int dim = rank - 2; dim >= 0; --dim) {
    step_of[static_cast<std::size_t>(dim)] =
        step_of[static_cast<std::size_t>(dim) + 1] * static_cast<std::size_t>(call.sizes(arg::self)[dim + 1]);
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    std::size_t rest = i;
    std::size_t from = 0;
    for (int dim = rank - 1; dim >= 0; --dim) {
      const auto size = static_cast<std::size_t>(call.result_sizes()[dim]);
      const int64_t source = call.integers(arg::dims)[static_cast<std::size_t>(dim)];
      from += rest % size * step_of[static_cast<std::size_t>(source < 0 ? source + rank : source)];
      rest /= size;
    }
    results[0][i] = call.elements(arg::self)[from];
  }
}

}  // namespace

std::vector<PlainOp> plain_unary_ops() {
  return {
      {"function", "aten.exp.default", library<exponential>},
      {"function", "aten.exp2.default", library<[](auto x) { return std::exp2(x); }>},
      {"function", "aten.expm1.default", library<exponential_less_one>},
      {"function", "aten.log.default", library<[](auto x) { return std::log(x); }>, Domain::Positive},
      {"function", "aten.log2.default", library<[](auto x) { return std::log2(x); }>, Domain::Positive},
      {"function", "aten.log10.default", library<[](auto x) { return std::log10(x); }>, Domain::Positive},
      {"function", "aten.log1p.default", library<logarithm_of_more>, Domain::Positive},
      {"function", "aten.sqrt.default", [](Perturbed& p, const PlainCall&, double x) { return p.sqrt(x); },
       Domain::Positive},
      {"function", "aten.rsqrt.default", rsqrt, Domain::Positive},
      {"function", "aten.sigmoid.default", library<logistic>},
      {"function", "aten.sin.default", library<[](auto x) { return std::sin(x); }>},
      {"function", "aten.cos.default", library<[](auto x) { return std::cos(x); }>},
      {"function", "aten.tan.default", library<[](auto x) { return std::tan(x); }>},
      {"function", "aten.asin.default", library<[](auto x) { return std::asin(x); }>, Domain::Unit},
      {"function", "aten.acos.default", library<[](auto x) { return std::acos(x); }>, Domain::Unit},
      {"function", "aten.atan.default", library<[](auto x) { return std::atan(x); }>},
      {"function", "aten.sinh.default", library<[](auto x) { return std::sinh(x); }>},
      {"function", "aten.cosh.default", library<[](auto x) { return std::cosh(x); }>},
      {"function", "aten.tanh.default", library<tangent>},
      {"function", "aten.asinh.default", library<[](auto x) { return std::asinh(x); }>},
      {"function", "aten.acosh.default", library<[](auto x) { return std::acosh(x); }>, Domain::OverOne},
      {"function", "aten.atanh.default", library<[](auto x) { return std::atanh(x); }>, Domain::Unit},
      {"function", "aten.erf.default", library<error_function>},
      {"function", "aten.erfc.default", library<[](auto x) { return std::erfc(x); }>},
      {"function", "aten.lgamma.default", library<[](auto x) { return std::lgamma(x); }>, Domain::Positive},

      {"unary", "aten.neg.default", [](Perturbed&, const PlainCall&, double x) { return -x; }},
      {"unary", "aten.abs.default", [](Perturbed&, const PlainCall&, double x) { return std::fabs(x); }},
      {"unary", "aten.relu.default", [](Perturbed& p, const PlainCall&, double x) { return p.maximum(x, 0); }},
      {"unary", "aten.square.default", [](Perturbed& p, const PlainCall&, double x) { return p.mul(x, x); }},
      {"unary", "aten.reciprocal.default", [](Perturbed& p, const PlainCall&, double x) { return p.div(1, x); },
       Domain::Positive},
      {"unary", "aten.floor.default", [](Perturbed&, const PlainCall&, double x) { return std::floor(x); }},
      {"unary", "aten.ceil.default", [](Perturbed&, const PlainCall&, double x) { return std::ceil(x); }},
      {"unary", "aten.trunc.default", [](Perturbed&, const PlainCall&, double x) { return std::trunc(x); }},
      {"unary", "aten.round.default", [](Perturbed&, const PlainCall&, double x) { return std::nearbyint(x); }},
      {"unary", "aten.frac.default", [](Perturbed& p, const PlainCall&, double x) { return p.sub(x, std::trunc(x)); }},
      {"unary", "aten.sign.default",
       [](Perturbed&, const PlainCall&, double x) { return static_cast<double>((x > 0) - (x < 0)); }},
      {"unary", "aten.clamp.default", clamp},
      {"unary", "aten.clamp_min.default",
       [](Perturbed& p, const PlainCall& call, double x) { return p.maximum(x, p.number(call.real(arg::min))); }},
      {"unary", "aten.clamp_max.default",
       [](Perturbed& p, const PlainCall& call, double x) { return p.minimum(x, p.number(call.real(arg::max))); }},
      {"unary", "aten.deg2rad.default",
       [](Perturbed& p, const PlainCall&, double x) { return p.mul(x, p.constant(std::numbers::pi / 180)); }},
      {"unary", "aten.rad2deg.default",
       [](Perturbed& p, const PlainCall&, double x) { return p.mul(x, p.constant(180 / std::numbers::pi)); }},
      {"unary", "aten.round.decimals", round_decimals},
      {"unary", "aten.sinc.default", sinc},
      {"unary", "aten.logit.default", logit, Domain::Unit},

      {"activation", "aten.gelu.default", gelu},
      {"activation", "aten.silu.default", silu},
      {"activation", "aten.mish.default", mish},
      {"activation", "aten.elu.default", elu},
      {"activation", "aten.selu.default", selu},
      {"activation", "aten.celu.default", celu},
      {"activation", "aten.leaky_relu.default", leaky_relu},
      {"activation", "aten.softplus.default", softplus},
      {"activation", "aten.log_sigmoid.default", log_sigmoid},
      {"activation", "aten.hardsigmoid.default", hardsigmoid},
      {"activation", "aten.hardswish.default", hardswish},
      {"activation", "aten.hardtanh.default", hardtanh},
      {"activation", "aten.hardshrink.default", hardshrink},
      {"activation", "aten.softshrink.default", softshrink},
      {"activation", "aten.log_sigmoid_forward.default", log_sigmoid_forward},
      {"activation", "aten.threshold.default", threshold},
      {"activation", "aten.relu6.default",
       [](Perturbed& p, const PlainCall&, double x) { return clamped(p, x, 0, 6); }},
      {"activation", "aten.glu.default", glu},

      {"copy", "aten.clone.default", clone},
      {"copy", "aten.permute_copy.default", permute},
      {"copy", "aten.constant_pad_nd.default", constant_pad},
      {"copy", "aten.fill.Scalar", filled<arg::value>},
      {"copy", "aten.full.default", filled<arg::fill_value>},
      {"copy", "aten.full_like.default", filled<arg::fill_value>},
      {"copy", "aten.new_full.default", filled<arg::fill_value>},
      {"copy", "aten.scalar_tensor.default", filled<arg::s>},
  };
}

}  // namespace parallax
