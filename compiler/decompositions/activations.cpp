// Activation functions, as eager computes them (aten/src/ATen/native/Activation.cpp and cpu/Activation.cpp).
#include <array>
#include <numbers>

#include "compiler/decomposition.h"

namespace parallax {
namespace {

Term sigmoid(Term x) { return apply("sigmoid", x); }
Term clamped(Term x, Argument low, Argument high) {
  return x.composer->call("aten.clamp.default", {x.value, low, high});
}

Terms gelu(Composer& c) {
  const Term x = c.operand(arg::self);
  if (c.text(arg::approximate) == "none") {
    return {x * 0.5 * (apply("erf", x * (1 / std::numbers::sqrt2)) + 1)};
  }
  const Term cube = x * x * x;
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return {x * 0.5 * (apply("tanh", (x + cube * 0.044715) * scale) + 1)};
}

Terms silu(Composer& c) {
  const Term x = c.operand(arg::self);
  return {x / (apply("exp", -x) + 1)};
}

Terms mish(Composer& c) {
  const Term x = c.operand(arg::self);
  return {x * apply("tanh", apply("log1p", apply("exp", x)))};
}

Term elu_of(Term x, double coefficient, double scale, double above) {
  return choose(less(x, 0), apply("expm1", x * scale) * coefficient, x * above);
}

Terms elu(Composer& c) {
  return {elu_of(c.operand(arg::self), c.real(arg::alpha) * c.real(arg::scale), c.real(arg::input_scale),
                 c.real(arg::scale))};
}

Terms selu(Composer& c) {
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return {elu_of(c.operand(arg::self), alpha * scale, 1, scale)};
}

Terms celu(Composer& c) { return {elu_of(c.operand(arg::self), c.real(arg::alpha), 1 / c.real(arg::alpha), 1)}; }

Terms leaky_relu(Composer& c) {
  const Term x = c.operand(arg::self);
  return {choose(greater(x, 0), x, x * c.scalar(arg::negative_slope))};
}

Terms softplus(Composer& c) {
  const Term x = c.operand(arg::self);
  const Term scaled = x * c.scalar(arg::beta);
  return {
      choose(greater(scaled, c.scalar(arg::threshold)), x, apply("log1p", apply("exp", scaled)) / c.scalar(arg::beta))};
}

Terms hardtanh(Composer& c) { return {clamped(c.raw(arg::self), c.scalar(arg::min_val), c.scalar(arg::max_val))}; }

Terms relu6(Composer& c) { return {clamped(c.raw(arg::self), 0, 6)}; }

Terms hardsigmoid(Composer& c) { return {clamped(c.operand(arg::self) + 3, 0, 6) / 6}; }

Terms hardswish(Composer& c) {
  const Term x = c.operand(arg::self);
  return {x * clamped(x + 3, 0, 6) / 6};
}

// Its number is of the tensor's own dtype.
Terms hardshrink(Composer& c) {
  const Term x = c.raw(arg::self);
  return {choose(at_most(apply("abs", x), c.scalar(arg::lambd)), apply("zeros_like", x), x)};
}

Terms threshold(Composer& c) {
  const Term x = c.operand(arg::self);
  if (!is_floating(c.result().dtype) && (is_floating(c.scalar(arg::threshold)) || is_floating(c.scalar(arg::value))))
    return {};
  return {choose(at_most(x, c.scalar(arg::threshold)), c.number(c.scalar(arg::value), c.meta(x).dtype), x)};
}

Term log_sigmoid_of(Term x) {
  const Term exponential = apply("exp", -apply("abs", x));
  return clamped(x, Argument(), 0) - apply("log1p", exponential);
}

Terms log_sigmoid(Composer& c) { return {log_sigmoid_of(c.operand(arg::self))}; }

// The backward is handed exp(-|x|).
Terms log_sigmoid_forward(Composer& c) {
  const Term x = c.operand(arg::self);
  return {log_sigmoid_of(x), apply("exp", -apply("abs", x))};
}

Terms glu(Composer& c) {
  const Term x = c.operand(arg::self);
  const int64_t dim = c.integer(arg::dim);
  const int64_t rank = c.sizes(x).size();
  const int64_t half = c.sizes(x)[static_cast<int>(dim < 0 ? dim + rank : dim)] / 2;
  const auto part = [&](int64_t start) {
    return c.call("aten.slice.Tensor", {x.value, Scalar(dim), Scalar(start), Scalar(start + half)});
  };
  return {part(0) * sigmoid(part(half))};
}

constexpr std::array activation_rows = {
    Decomposition{"aten.gelu.default", gelu},
    Decomposition{"aten.silu.default", silu},
    Decomposition{"aten.mish.default", mish},
    Decomposition{"aten.elu.default", elu},
    Decomposition{"aten.selu.default", selu},
    Decomposition{"aten.celu.default", celu},
    Decomposition{"aten.leaky_relu.default", leaky_relu},
    Decomposition{"aten.softplus.default", softplus},
    Decomposition{"aten.hardtanh.default", hardtanh},
    Decomposition{"aten.relu6.default", relu6},
    Decomposition{"aten.hardsigmoid.default", hardsigmoid},
    Decomposition{"aten.hardswish.default", hardswish},
    Decomposition{"aten.hardshrink.default", hardshrink},
    Decomposition{"aten.threshold.default", threshold},
    Decomposition{"aten.log_sigmoid.default", log_sigmoid},
    Decomposition{"aten.log_sigmoid_forward.default", log_sigmoid_forward},
    Decomposition{"aten.glu.default", glu},
};

}  // namespace

DecompositionTable::Rows activation_decompositions() { return activation_rows; }

}  // namespace parallax
