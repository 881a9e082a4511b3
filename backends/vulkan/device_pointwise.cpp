// Ops that work element by element: rows over the table of functions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "backends/vulkan/device_kernel.h"
#include "core/limits.h"
#include "ops/elementwise.h"
#include "ops/quantization_plan.h"

namespace parallax::vulkan {
namespace {

using Number = PointwiseProgram::Number;

DType of_result(const Call&, DType result) { return result; }
DType of_operand(const Call& call, DType) { return call.tensor(arg::self).dtype; }
DType of_operands(const Call& call, DType) { return result_type(call, {arg::self, arg::other}); }

DType dtype_of(const PointwiseRow& row, const PointwiseCall& call) { return row.dtype(call, call.result_dtype()); }

Number unary(const PointwiseRow& row, const PointwiseCall& call) {
  return call.program().apply(find_function(row.function), call.operand(first_operand, dtype_of(row, call)));
}

Number binary(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(first_operand, dtype);
  return call.program().apply(find_function(row.function), a, call.operand(second_operand, dtype));
}

// With the factor of the second operand.
Number with_alpha(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(arg::self, dtype);
  const Number b = call.operand(arg::other, dtype);
  return call.program().apply(find_function(row.function), a, b,
                              call.program().constant(dtype, call.scalar(arg::alpha)));
}

// What numbers are kept in that are not to be rounded to a half.
DType unrounded(DType dtype) { return class_of(dtype) == NumberClass::Float ? DType::F32 : dtype; }

// With a Python number behind the operand, or NaN where there is none.
template <arg name>
Number with_number(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Scalar number = call.has(name) ? call.scalar(name) : Scalar(std::numeric_limits<double>::quiet_NaN());
  const Number x = call.operand(arg::self, dtype);
  return call.program().apply(find_function(row.function), x, call.program().constant(unrounded(dtype), number));
}

// Of a Python number eager rounds neither base nor exponent to a half.
Number power(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const auto operand = [&](arg name) {
    return call.operand(name, !call.is_tensor(name) && class_of(dtype) == NumberClass::Float ? DType::F32 : dtype);
  };
  const Number base = operand(arg::self);
  return call.program().converted(call.program().apply(find_function(row.function), base, operand(arg::exponent)),
                                  dtype);
}

// The third operand is the dtype's width in bits.
Number with_width(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(first_operand, dtype);
  const Number b = call.operand(second_operand, dtype);
  const Number width = call.program().constant(DType::I64, Scalar(int64_t{8} * size_of(dtype)));
  return call.program().apply(find_function(row.function), a, b, width);
}

template <arg least, arg most>
Number clamp(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const auto bound = [&](arg name, double real, int64_t whole) {
    if (call.has(name)) return call.operand(name, dtype);
    return call.program().constant(is_floating(dtype) ? dtype : DType::I64,
                                   is_floating(dtype) ? Scalar(real) : Scalar(whole));
  };
  const Number x = call.operand(arg::self, dtype);
  const Number low = bound(least, -infinity, std::numeric_limits<int64_t>::min());
  return call.program().apply(find_function(row.function), x, low,
                              bound(most, infinity, std::numeric_limits<int64_t>::max()));
}

// self + value * tensor1 * tensor2
Number addcmul(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const DType dtype = dtype_of(row, call);
  const Function& product = find_function("mul");
  const Number scaled =
      program.apply(product, call.operand(arg::tensor1, dtype), program.constant(dtype, call.scalar(arg::value)));
  const Number self = call.operand(arg::self, dtype);
  return program.apply(find_function("add"), self, program.apply(product, scaled, call.operand(arg::tensor2, dtype)),
                       program.constant(dtype, Scalar(int64_t{1})));
}

// where(condition, self, other)
Number where(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number condition = call.operand(arg::condition, DType::Bool);
  const Number yes = call.operand(arg::self, dtype);
  return call.program().select(condition, yes, call.operand(arg::other, dtype));
}

// masked_fill(self, mask, value)
Number masked_fill(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number mask = call.operand(arg::mask, DType::Bool);
  const Number value = call.operand(arg::value, dtype);
  return call.program().select(mask, value, call.operand(arg::self, dtype));
}

// Of bools the complement is the other one.
Number bitwise_not(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  return call.program().apply(find_function(dtype == DType::Bool ? "logical_not" : row.function),
                              call.operand(arg::self, dtype));
}

// div with a rounding mode, or without one; the row names the function that the fewest classes have.
Number divide_by_mode(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const std::string_view function = !call.has(arg::rounding_mode)              ? "div"
                                    : call.text(arg::rounding_mode) == "floor" ? "div_floor"
                                                                               : "div_trunc";
  const Number a = call.operand(arg::self, dtype);
  return call.program().apply(find_function(function), a, call.operand(arg::other, dtype));
}

// To a multiple of 10^-decimals.
Number round_decimals(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const int64_t decimals = call.integer(arg::decimals);
  const double power = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  const Number x = call.operand(arg::self, dtype);
  return call.program().apply(find_function(decimals < 0 ? "round_to_multiples" : row.function), x,
                              call.program().constant(unrounded(dtype), Scalar(power)));
}

// nan_to_num(self, nan, posinf, neginf); an integer is as it is.
Number nan_to_num(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const DType dtype = dtype_of(row, call);
  const Number x = call.operand(arg::self, dtype);
  if (!is_floating(dtype)) return x;
  const auto number = [&](arg name, double otherwise) {
    return program.constant(dtype, call.has(name) ? call.scalar(name) : Scalar(otherwise));
  };
  const double largest = info(dtype).max_finite;
  const Number most = number(arg::posinf, largest);
  const Number finite = program.apply(find_function("finite_or"), x, most, number(arg::neginf, -largest));
  return program.select(program.apply(find_function(row.function), x), number(arg::nan, 0), finite);
}

// The number of a format next to another.
Number next_after(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const int64_t format = dtype == DType::F16 ? 2 : dtype == DType::BF16 ? 1 : 0;  // as in shaders/float_math.glsl
  const Number a = call.operand(arg::self, dtype);
  const Number b = call.operand(arg::other, dtype);
  return call.program().apply(find_function(row.function), a, b,
                              call.program().constant(unrounded(dtype), Scalar(format)));
}

DType single(const Call&, DType) { return DType::F32; }

Number one(PointwiseProgram& program, DType dtype) { return program.constant(dtype, Scalar(int64_t{1})); }

// Of a number 0 eager raises before it has looked at a tensor.
bool has_inverse(const Call& call) { return call.is_tensor(arg::scale) || call.real(arg::scale) != 0; }

// 1 / scale, as Python has it.
Number inverse_of_scale(const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  if (call.is_tensor(arg::scale)) {
    const Number inverse = program.apply(find_function("inverse"), call.operand(arg::scale, DType::F64));
    return program.converted(inverse, DType::F32);
  }
  return program.constant(DType::F32, Scalar(1 / call.real(arg::scale)));
}

// round(input * (1 / scale)) + zero_point, within limits
Number quantize(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const Number input = call.operand(arg::input, DType::F32);
  const Number scaled = program.apply(find_function("mul"), input, inverse_of_scale(call));
  const Number moved = program.apply(find_function("add"), program.apply(find_function(row.function), scaled),
                                     call.operand(arg::zero_point, DType::F32), one(program, DType::F32));
  return program.apply(find_function("clamp"), moved, call.operand(arg::quant_min, DType::F32),
                       call.operand(arg::quant_max, DType::F32));
}

// (input - zero_point) * scale
Number dequantize(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const DType dtype = dtype_of(row, call);
  const Number input = call.operand(arg::input, dtype);
  const Number centred =
      program.apply(find_function("sub"), input, call.operand(arg::zero_point, dtype), one(program, dtype));
  return program.apply(find_function(row.function), centred, call.operand(arg::scale, dtype));
}

// --- parameters in tensors of more than one element ---

std::optional<int> axis_of(const Call& call) {
  if (!call.takes(arg::axis)) return std::nullopt;
  return portable::wrapped_dim(call.integer(arg::axis), call.tensor(arg::input).layout.rank());
}

// What the steps are computed in.
ParameterLayouts steps_of(const Call& call) {
  return (call.takes(arg::axis) ? channel_layouts(call) : broadcast_layouts(call)).value();
}

// Whether those of channels lie in steps of one stride.
bool has_rows_of_parameters(const Call& call) {
  const auto is_row = [&](arg parameter) {
    if (!call.has(parameter)) return true;
    return std::ranges::count_if(call.tensor(parameter).layout.sizes, [](int64_t size) { return size > 1; }) <= 1;
  };
  return is_row(arg::scales) && is_row(arg::zero_points);
}

// input * (1 / scales), rounded before or after the zero points are added, within limits.
template <bool adds_first>
Number quantize_by_tensors(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const ParameterLayouts steps = steps_of(call);
  const std::optional<int> axis = axis_of(call);
  const auto number = [&](arg name) { return program.constant(steps.sum, call.scalar(name)); };
  const auto rounded = [&](Number x) { return program.apply(find_function(row.function), x); };
  const Number scales = call.operand(arg::scales, call.tensor(arg::scales).dtype, axis);
  const Number inverse = program.converted(program.apply(find_function("reciprocal"), scales), steps.product);
  Number y = program.apply(find_function("mul"), call.operand(arg::input, steps.product), inverse);
  if (!adds_first) y = rounded(y);
  y = program.apply(find_function("add"), program.converted(y, steps.sum),
                    call.operand(arg::zero_points, steps.sum, axis), one(program, steps.sum));
  if (adds_first) y = rounded(y);
  return program.apply(find_function("clamp"), y, number(arg::quant_min), number(arg::quant_max));
}

// (input - zero_points) * scales
Number dequantize_by_tensors(const PointwiseRow& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const ParameterLayouts steps = steps_of(call);
  const std::optional<int> axis = axis_of(call);
  Number x = call.operand(arg::input, steps.sum);
  if (call.has(arg::zero_points)) {
    x = program.apply(find_function("sub"), x, call.operand(arg::zero_points, steps.sum, axis),
                      one(program, steps.sum));
  }
  return program.apply(find_function(row.function), program.converted(x, steps.product),
                       call.operand(arg::scales, steps.product, axis));
}

// polygamma(n, self)
Number polygamma(const PointwiseRow& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const int64_t order = call.integer(arg::n);
  const Number x = call.operand(arg::self, dtype);
  if (order < 2) return call.program().apply(find_function(order == 0 ? "digamma" : "trigamma"), x);
  return call.program().apply(find_function(row.function), x, call.program().constant(unrounded(dtype), Scalar(order)));
}

#define PARALLAX_POLYNOMIAL(name, function)                                                       \
  PointwiseRow{"aten.special_" name ".default", function, binary, of_result},                     \
      PointwiseRow{"aten.special_" name ".x_scalar", function, binary, of_result}, PointwiseRow { \
    "aten.special_" name ".n_scalar", function, binary, of_result                                 \
  }

constexpr std::array pointwise_table = {
    PointwiseRow{"aten.neg.default", "neg", unary, of_result},
    PointwiseRow{"aten.abs.default", "abs", unary, of_result},
    PointwiseRow{"aten.relu.default", "relu", unary, of_result},
    PointwiseRow{"aten.sign.default", "sign", unary, of_result},
    PointwiseRow{"aten.sgn.default", "sign", unary, of_result},
    PointwiseRow{"aten.floor.default", "floor", unary, of_result},
    PointwiseRow{"aten.ceil.default", "ceil", unary, of_result},
    PointwiseRow{"aten.trunc.default", "trunc", unary, of_result},
    PointwiseRow{"aten.round.default", "round", unary, of_result},
    PointwiseRow{"aten.frac.default", "frac", unary, of_result},
    PointwiseRow{"aten.reciprocal.default", "reciprocal", unary, of_result},
    PointwiseRow{"aten.sqrt.default", "sqrt", unary, of_result},
    PointwiseRow{"aten.rsqrt.default", "rsqrt", unary, of_result},
    PointwiseRow{"aten.exp.default", "exp", unary, of_result},
    PointwiseRow{"aten.exp2.default", "exp2", unary, of_result},
    PointwiseRow{"aten.expm1.default", "expm1", unary, of_result},
    PointwiseRow{"aten.log.default", "log", unary, of_result},
    PointwiseRow{"aten.log2.default", "log2", unary, of_result},
    PointwiseRow{"aten.log10.default", "log10", unary, of_result},
    PointwiseRow{"aten.log1p.default", "log1p", unary, of_result},
    PointwiseRow{"aten.sigmoid.default", "sigmoid", unary, of_result},
    PointwiseRow{"aten.sin.default", "sin", unary, of_result},
    PointwiseRow{"aten.cos.default", "cos", unary, of_result},
    PointwiseRow{"aten.tan.default", "tan", unary, of_result},
    PointwiseRow{"aten.asin.default", "asin", unary, of_result},
    PointwiseRow{"aten.acos.default", "acos", unary, of_result},
    PointwiseRow{"aten.atan.default", "atan", unary, of_result},
    PointwiseRow{"aten.sinh.default", "sinh", unary, of_result},
    PointwiseRow{"aten.cosh.default", "cosh", unary, of_result},
    PointwiseRow{"aten.tanh.default", "tanh", unary, of_result},
    PointwiseRow{"aten.asinh.default", "asinh", unary, of_result},
    PointwiseRow{"aten.acosh.default", "acosh", unary, of_result},
    PointwiseRow{"aten.atanh.default", "atanh", unary, of_result},
    PointwiseRow{"aten.erf.default", "erf", unary, of_result},
    PointwiseRow{"aten.erfc.default", "erfc", unary, of_result},
    PointwiseRow{"aten.deg2rad.default", "deg2rad", unary, of_result},
    PointwiseRow{"aten.rad2deg.default", "rad2deg", unary, of_result},
    PointwiseRow{"aten.sinc.default", "sinc", unary, of_result},
    PointwiseRow{"aten.logit.default", "logit", with_number<arg::eps>, of_result},
    PointwiseRow{"aten.softshrink.default", "soft_shrink", with_number<arg::lambd>, of_result},
    PointwiseRow{"aten.round.decimals", "round_to_parts", round_decimals, of_result},
    PointwiseRow{"aten.nan_to_num.default", "is_nan", nan_to_num, of_result},
    PointwiseRow{"aten.bitwise_not.default", "bitwise_not", bitwise_not, of_result},
    PointwiseRow{"aten.signbit.default", "signbit", unary, of_operand},
    PointwiseRow{"aten.logical_not.default", "logical_not", unary, of_operand},

    PointwiseRow{"aten.add.Tensor", "add", with_alpha, of_result},
    PointwiseRow{"aten.add.Scalar", "add", with_alpha, of_result},
    PointwiseRow{"aten.sub.Tensor", "sub", with_alpha, of_result},
    PointwiseRow{"aten.sub.Scalar", "sub", with_alpha, of_result},
    PointwiseRow{"aten.mul.Tensor", "mul", binary, of_result},
    PointwiseRow{"aten.mul.Scalar", "mul", binary, of_result},
    PointwiseRow{"aten.div.Tensor", "div", binary, of_result},
    PointwiseRow{"aten.div.Scalar", "div", binary, of_result},
    PointwiseRow{"aten.div.Tensor_mode", "div_floor", divide_by_mode, of_result},
    PointwiseRow{"aten.div.Scalar_mode", "div_floor", divide_by_mode, of_result},
    PointwiseRow{"aten.fmod.Tensor", "fmod", binary, of_result},
    PointwiseRow{"aten.fmod.Scalar", "fmod", binary, of_result},
    PointwiseRow{"aten.maximum.default", "maximum", binary, of_result},
    PointwiseRow{"aten.minimum.default", "minimum", binary, of_result},
    PointwiseRow{"aten.fmax.default", "fmax", binary, of_result},
    PointwiseRow{"aten.fmin.default", "fmin", binary, of_result},
    PointwiseRow{"aten.pow.Tensor_Tensor", "pow", power, of_result},
    PointwiseRow{"aten.pow.Tensor_Scalar", "pow", power, of_result},
    PointwiseRow{"aten.pow.Scalar", "pow", power, of_result},
    PointwiseRow{"aten.atan2.default", "atan2", binary, of_result},
    PointwiseRow{"aten.hypot.default", "hypot", binary, of_result},
    PointwiseRow{"aten.copysign.Tensor", "copysign", binary, of_result},
    PointwiseRow{"aten.copysign.Scalar", "copysign", binary, of_result},
    PointwiseRow{"aten.bitwise_and.Tensor", "bitwise_and", binary, of_result},
    PointwiseRow{"aten.bitwise_and.Scalar", "bitwise_and", binary, of_result},
    PointwiseRow{"aten.bitwise_or.Tensor", "bitwise_or", binary, of_result},
    PointwiseRow{"aten.bitwise_or.Scalar", "bitwise_or", binary, of_result},
    PointwiseRow{"aten.bitwise_xor.Tensor", "bitwise_xor", binary, of_result},
    PointwiseRow{"aten.bitwise_xor.Scalar", "bitwise_xor", binary, of_result},
    PointwiseRow{"aten.bitwise_and.Scalar_Tensor", "bitwise_and", binary, of_result},
    PointwiseRow{"aten.bitwise_or.Scalar_Tensor", "bitwise_or", binary, of_result},
    PointwiseRow{"aten.bitwise_xor.Scalar_Tensor", "bitwise_xor", binary, of_result},
    PointwiseRow{"aten.bitwise_left_shift.Scalar_Tensor", "shift_left", with_width, of_result},
    PointwiseRow{"aten.bitwise_right_shift.Scalar_Tensor", "shift_right", with_width, of_result},
    PointwiseRow{"aten.gcd.default", "gcd", with_width, of_result},
    PointwiseRow{"aten.lcm.default", "lcm", with_width, of_result},
    PointwiseRow{"aten.heaviside.default", "heaviside", binary, of_result},
    PointwiseRow{"aten.nextafter.default", "next_after", next_after, of_result},
    PointwiseRow{"aten.logaddexp.default", "logaddexp", binary, of_result},
    PointwiseRow{"aten.logaddexp2.default", "logaddexp2", binary, of_result},
    PointwiseRow{"aten.xlogy.Tensor", "xlogy", binary, of_result},
    PointwiseRow{"aten.xlogy.Scalar_Other", "xlogy", binary, of_result},
    PointwiseRow{"aten.xlogy.Scalar_Self", "xlogy", binary, of_result},
    PointwiseRow{"aten.special_xlog1py.default", "xlog1py", binary, of_result},
    PointwiseRow{"aten.special_xlog1py.other_scalar", "xlog1py", binary, of_result},
    PointwiseRow{"aten.special_xlog1py.self_scalar", "xlog1py", binary, of_result},
    PointwiseRow{"aten.bitwise_left_shift.Tensor", "shift_left", with_width, of_result},
    PointwiseRow{"aten.bitwise_left_shift.Tensor_Scalar", "shift_left", with_width, of_result},
    PointwiseRow{"aten.bitwise_right_shift.Tensor", "shift_right", with_width, of_result},
    PointwiseRow{"aten.bitwise_right_shift.Tensor_Scalar", "shift_right", with_width, of_result},
    PointwiseRow{"aten.clamp.default", "clamp", clamp<arg::min, arg::max>, of_result},
    PointwiseRow{"aten.hardtanh.default", "clamp", clamp<arg::min_val, arg::max_val>, of_result},
    PointwiseRow{"aten.addcmul.default", "add", addcmul, of_result},

    PointwiseRow{"aten.special_erfcx.default", "erfcx", unary, of_result},
    PointwiseRow{"aten.erfinv.default", "erfinv", unary, of_result},
    PointwiseRow{"aten.special_ndtr.default", "ndtr", unary, of_result},
    PointwiseRow{"aten.special_ndtri.default", "ndtri", unary, of_result},
    PointwiseRow{"aten.special_entr.default", "entr", unary, of_result},
    PointwiseRow{"aten.lgamma.default", "lgamma", unary, of_result},
    PointwiseRow{"aten.digamma.default", "digamma", unary, of_result},
    PointwiseRow{"aten.i0.default", "bessel_i0", unary, of_result},
    PointwiseRow{"aten.special_i0e.default", "scaled_bessel_i0", unary, of_result},
    PointwiseRow{"aten.special_i1.default", "bessel_i1", unary, of_result},
    PointwiseRow{"aten.special_i1e.default", "scaled_bessel_i1", unary, of_result},
    PointwiseRow{"aten.special_airy_ai.default", "airy_ai", unary, of_result},
    PointwiseRow{"aten.special_bessel_j0.default", "bessel_j0", unary, of_result},
    PointwiseRow{"aten.special_bessel_j1.default", "bessel_j1", unary, of_result},
    PointwiseRow{"aten.special_bessel_y0.default", "bessel_y0", unary, of_result},
    PointwiseRow{"aten.special_bessel_y1.default", "bessel_y1", unary, of_result},
    PointwiseRow{"aten.special_modified_bessel_i0.default", "bessel_i0", unary, of_result},
    PointwiseRow{"aten.special_modified_bessel_i1.default", "bessel_i1", unary, of_result},
    PointwiseRow{"aten.special_modified_bessel_k0.default", "bessel_k0", unary, of_result},
    PointwiseRow{"aten.special_modified_bessel_k1.default", "bessel_k1", unary, of_result},
    PointwiseRow{"aten.special_scaled_modified_bessel_k0.default", "scaled_bessel_k0", unary, of_result},
    PointwiseRow{"aten.special_scaled_modified_bessel_k1.default", "scaled_bessel_k1", unary, of_result},
    PointwiseRow{"aten.special_spherical_bessel_j0.default", "spherical_bessel_j0", unary, of_result},
    PointwiseRow{"aten.polygamma.default", "polygamma", polygamma, of_result},
    PointwiseRow{"aten.special_zeta.default", "zeta", binary, of_result},
    PointwiseRow{"aten.special_zeta.self_scalar", "zeta", binary, of_result},
    PointwiseRow{"aten.special_zeta.other_scalar", "zeta", binary, of_result},
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_t", "chebyshev_t"),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_u", "chebyshev_u"),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_v", "chebyshev_v"),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_w", "chebyshev_w"),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_t", "shifted_chebyshev_t"),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_u", "shifted_chebyshev_u"),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_v", "shifted_chebyshev_v"),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_w", "shifted_chebyshev_w"),
    PARALLAX_POLYNOMIAL("hermite_polynomial_h", "hermite_h"),
    PARALLAX_POLYNOMIAL("hermite_polynomial_he", "hermite_he"),
    PARALLAX_POLYNOMIAL("laguerre_polynomial_l", "laguerre"),
    PARALLAX_POLYNOMIAL("legendre_polynomial_p", "legendre"),

    PointwiseRow{"aten.lt.Tensor", "lt", binary, of_operands},
    PointwiseRow{"aten.lt.Scalar", "lt", binary, of_operands},
    PointwiseRow{"aten.le.Tensor", "le", binary, of_operands},
    PointwiseRow{"aten.le.Scalar", "le", binary, of_operands},
    PointwiseRow{"aten.gt.Tensor", "gt", binary, of_operands},
    PointwiseRow{"aten.gt.Scalar", "gt", binary, of_operands},
    PointwiseRow{"aten.ge.Tensor", "ge", binary, of_operands},
    PointwiseRow{"aten.ge.Scalar", "ge", binary, of_operands},
    PointwiseRow{"aten.eq.Tensor", "eq", binary, of_operands},
    PointwiseRow{"aten.eq.Scalar", "eq", binary, of_operands},
    PointwiseRow{"aten.ne.Tensor", "ne", binary, of_operands},
    PointwiseRow{"aten.ne.Scalar", "ne", binary, of_operands},
    PointwiseRow{"quantized_decomposed.quantize_per_tensor.default", "round", quantize, single, has_inverse},
    PointwiseRow{"quantized_decomposed.quantize_per_tensor.tensor", "round", quantize, single, has_inverse},
    PointwiseRow{"quantized_decomposed.dequantize_per_tensor.default", "mul", dequantize, of_result},
    PointwiseRow{"quantized_decomposed.dequantize_per_tensor.tensor", "mul", dequantize, of_result},
    PointwiseRow{"quantized_decomposed.dequantize_per_tensor.tensor2", "mul", dequantize, of_result},
    PointwiseRow{"quantized_decomposed.quantize_per_channel.default", "round", quantize_by_tensors<false>, single,
                 has_rows_of_parameters},
    PointwiseRow{"quantized_decomposed.dequantize_per_channel.default", "mul", dequantize_by_tensors, single,
                 has_rows_of_parameters},
    PointwiseRow{"quantized_decomposed.quantize_per_token.default", "round", quantize_by_tensors<true>, single},
    PointwiseRow{"quantized_decomposed.dequantize_per_token.default", "mul", dequantize_by_tensors, single},
    PointwiseRow{"aten.where.self", "", where, of_result},
    PointwiseRow{"aten.masked_fill.Scalar", "", masked_fill, of_result},
    PointwiseRow{"aten.masked_fill.Tensor", "", masked_fill, of_result},
};
#undef PARALLAX_POLYNOMIAL

}  // namespace

const PointwiseRow* find_pointwise(std::string_view op) {
  static const std::unordered_map<std::string_view, const PointwiseRow*> table = [] {
    std::unordered_map<std::string_view, const PointwiseRow*> by_op;
    for (const PointwiseRow& row : pointwise_table) PARALLAX_CHECK(by_op.emplace(row.op, &row).second);
    return by_op;
  }();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace parallax::vulkan
