// Ops that work element by element: rows over the table of functions.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "backends/vulkan/device_kernel.h"
#include "ops/elementwise.h"

namespace parallax::vulkan {
namespace {

using Number = PointwiseProgram::Number;
using Row = PointwiseRow;

DType of_result(const Call&, DType result) { return result; }
DType of_operand(const Call& call, DType) { return call.tensor(0).dtype; }
DType of_operands(const Call& call, DType) { return result_type(call, {0, 1}); }

DType dtype_of(const Row& row, const PointwiseCall& call) { return row.dtype(call, call.result_dtype()); }

Number unary(const Row& row, const PointwiseCall& call) {
  return call.program().apply(find_function(row.function), call.operand(0, dtype_of(row, call)));
}

Number binary(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(0, dtype);
  return call.program().apply(find_function(row.function), a, call.operand(1, dtype));
}

// With the factor of the second operand.
Number with_alpha(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(0, dtype);
  const Number b = call.operand(1, dtype);
  return call.program().apply(find_function(row.function), a, b, call.program().constant(dtype, call.scalar(2)));
}

// Of a Python number eager rounds neither base nor exponent to a half.
Number power(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const auto operand = [&](int i) {
    const bool is_number = std::holds_alternative<Scalar>(call.arguments()[static_cast<std::size_t>(i)]);
    return call.operand(i, is_number && class_of(dtype) == NumberClass::Float ? DType::F32 : dtype);
  };
  const Number base = operand(0);
  return call.program().converted(call.program().apply(find_function(row.function), base, operand(1)), dtype);
}

// Shifts by the dtype's width or more leave nothing.
Number shift(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number a = call.operand(0, dtype);
  const Number b = call.operand(1, dtype);
  const Number width = call.program().constant(DType::I64, Scalar(int64_t{8} * size_of(dtype)));
  return call.program().apply(find_function(row.function), a, b, width);
}

Number clamp(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const auto bound = [&](int i, double real, int64_t whole) {
    if (call.has(i)) return call.operand(i, dtype);
    return call.program().constant(is_floating(dtype) ? dtype : DType::I64,
                                   is_floating(dtype) ? Scalar(real) : Scalar(whole));
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Number x = call.operand(0, dtype);
  const Number low = bound(1, -infinity, std::numeric_limits<int64_t>::min());
  return call.program().apply(find_function(row.function), x, low,
                              bound(2, infinity, std::numeric_limits<int64_t>::max()));
}

// self + value * tensor1 * tensor2
Number addcmul(const Row& row, const PointwiseCall& call) {
  PointwiseProgram& program = call.program();
  const DType dtype = dtype_of(row, call);
  const Function& product = find_function("mul");
  const Number scaled = program.apply(product, call.operand(1, dtype), program.constant(dtype, call.scalar(3)));
  const Number self = call.operand(0, dtype);
  return program.apply(find_function("add"), self, program.apply(product, scaled, call.operand(2, dtype)),
                       program.constant(dtype, Scalar(int64_t{1})));
}

// where(condition, self, other)
Number where(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number condition = call.operand(0, DType::Bool);
  const Number yes = call.operand(1, dtype);
  return call.program().select(condition, yes, call.operand(2, dtype));
}

// masked_fill(self, mask, value)
Number masked_fill(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Number mask = call.operand(1, DType::Bool);
  const Number value = call.operand(2, dtype);
  return call.program().select(mask, value, call.operand(0, dtype));
}

// Of bools the complement is the other one.
Number bitwise_not(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  return call.program().apply(find_function(dtype == DType::Bool ? "logical_not" : row.function),
                              call.operand(0, dtype));
}

// div with a rounding mode, or without one; the row names the function that the fewest classes have.
Number divide_by_mode(const Row& row, const PointwiseCall& call) {
  const DType dtype = dtype_of(row, call);
  const Argument& mode = call.arguments()[2];
  const std::string_view function = is_none(mode)                            ? "div"
                                    : std::get<std::string>(mode) == "floor" ? "div_floor"
                                                                             : "div_trunc";
  const Number a = call.operand(0, dtype);
  return call.program().apply(find_function(function), a, call.operand(1, dtype));
}

constexpr std::array rows = {
    Row{"aten.neg.default", "neg", unary, of_result},
    Row{"aten.abs.default", "abs", unary, of_result},
    Row{"aten.relu.default", "relu", unary, of_result},
    Row{"aten.sign.default", "sign", unary, of_result},
    Row{"aten.sgn.default", "sign", unary, of_result},
    Row{"aten.floor.default", "floor", unary, of_result},
    Row{"aten.ceil.default", "ceil", unary, of_result},
    Row{"aten.trunc.default", "trunc", unary, of_result},
    Row{"aten.round.default", "round", unary, of_result},
    Row{"aten.frac.default", "frac", unary, of_result},
    Row{"aten.reciprocal.default", "reciprocal", unary, of_result},
    Row{"aten.sqrt.default", "sqrt", unary, of_result},
    Row{"aten.rsqrt.default", "rsqrt", unary, of_result},
    Row{"aten.exp.default", "exp", unary, of_result},
    Row{"aten.exp2.default", "exp2", unary, of_result},
    Row{"aten.expm1.default", "expm1", unary, of_result},
    Row{"aten.log.default", "log", unary, of_result},
    Row{"aten.log2.default", "log2", unary, of_result},
    Row{"aten.log10.default", "log10", unary, of_result},
    Row{"aten.log1p.default", "log1p", unary, of_result},
    Row{"aten.sigmoid.default", "sigmoid", unary, of_result},
    Row{"aten.sin.default", "sin", unary, of_result},
    Row{"aten.cos.default", "cos", unary, of_result},
    Row{"aten.tan.default", "tan", unary, of_result},
    Row{"aten.asin.default", "asin", unary, of_result},
    Row{"aten.acos.default", "acos", unary, of_result},
    Row{"aten.atan.default", "atan", unary, of_result},
    Row{"aten.sinh.default", "sinh", unary, of_result},
    Row{"aten.cosh.default", "cosh", unary, of_result},
    Row{"aten.tanh.default", "tanh", unary, of_result},
    Row{"aten.asinh.default", "asinh", unary, of_result},
    Row{"aten.acosh.default", "acosh", unary, of_result},
    Row{"aten.atanh.default", "atanh", unary, of_result},
    Row{"aten.erf.default", "erf", unary, of_result},
    Row{"aten.erfc.default", "erfc", unary, of_result},
    Row{"aten.bitwise_not.default", "bitwise_not", bitwise_not, of_result},
    Row{"aten.signbit.default", "signbit", unary, of_operand},
    Row{"aten.logical_not.default", "logical_not", unary, of_operand},

    Row{"aten.add.Tensor", "add", with_alpha, of_result},
    Row{"aten.add.Scalar", "add", with_alpha, of_result},
    Row{"aten.sub.Tensor", "sub", with_alpha, of_result},
    Row{"aten.sub.Scalar", "sub", with_alpha, of_result},
    Row{"aten.mul.Tensor", "mul", binary, of_result},
    Row{"aten.mul.Scalar", "mul", binary, of_result},
    Row{"aten.div.Tensor", "div", binary, of_result},
    Row{"aten.div.Scalar", "div", binary, of_result},
    Row{"aten.div.Tensor_mode", "div_floor", divide_by_mode, of_result},
    Row{"aten.div.Scalar_mode", "div_floor", divide_by_mode, of_result},
    Row{"aten.fmod.Tensor", "fmod", binary, of_result},
    Row{"aten.fmod.Scalar", "fmod", binary, of_result},
    Row{"aten.maximum.default", "maximum", binary, of_result},
    Row{"aten.minimum.default", "minimum", binary, of_result},
    Row{"aten.fmax.default", "fmax", binary, of_result},
    Row{"aten.fmin.default", "fmin", binary, of_result},
    Row{"aten.pow.Tensor_Tensor", "pow", power, of_result},
    Row{"aten.pow.Tensor_Scalar", "pow", power, of_result},
    Row{"aten.pow.Scalar", "pow", power, of_result},
    Row{"aten.atan2.default", "atan2", binary, of_result},
    Row{"aten.hypot.default", "hypot", binary, of_result},
    Row{"aten.copysign.Tensor", "copysign", binary, of_result},
    Row{"aten.copysign.Scalar", "copysign", binary, of_result},
    Row{"aten.bitwise_and.Tensor", "bitwise_and", binary, of_result},
    Row{"aten.bitwise_and.Scalar", "bitwise_and", binary, of_result},
    Row{"aten.bitwise_or.Tensor", "bitwise_or", binary, of_result},
    Row{"aten.bitwise_or.Scalar", "bitwise_or", binary, of_result},
    Row{"aten.bitwise_xor.Tensor", "bitwise_xor", binary, of_result},
    Row{"aten.bitwise_xor.Scalar", "bitwise_xor", binary, of_result},
    Row{"aten.bitwise_left_shift.Tensor", "shift_left", shift, of_result},
    Row{"aten.bitwise_left_shift.Tensor_Scalar", "shift_left", shift, of_result},
    Row{"aten.bitwise_right_shift.Tensor", "shift_right", shift, of_result},
    Row{"aten.bitwise_right_shift.Tensor_Scalar", "shift_right", shift, of_result},
    Row{"aten.clamp.default", "clamp", clamp, of_result},
    Row{"aten.addcmul.default", "add", addcmul, of_result},

    Row{"aten.lt.Tensor", "lt", binary, of_operands},
    Row{"aten.lt.Scalar", "lt", binary, of_operands},
    Row{"aten.le.Tensor", "le", binary, of_operands},
    Row{"aten.le.Scalar", "le", binary, of_operands},
    Row{"aten.gt.Tensor", "gt", binary, of_operands},
    Row{"aten.gt.Scalar", "gt", binary, of_operands},
    Row{"aten.ge.Tensor", "ge", binary, of_operands},
    Row{"aten.ge.Scalar", "ge", binary, of_operands},
    Row{"aten.eq.Tensor", "eq", binary, of_operands},
    Row{"aten.eq.Scalar", "eq", binary, of_operands},
    Row{"aten.ne.Tensor", "ne", binary, of_operands},
    Row{"aten.ne.Scalar", "ne", binary, of_operands},
    Row{"aten.where.self", "", where, of_result},
    Row{"aten.masked_fill.Scalar", "", masked_fill, of_result},
    Row{"aten.masked_fill.Tensor", "", masked_fill, of_result},
};

}  // namespace

const PointwiseRow* find_pointwise(std::string_view op) {
  static const std::unordered_map<std::string_view, const Row*> table = [] {
    std::unordered_map<std::string_view, const Row*> by_op;
    for (const Row& row : rows) PARALLAX_CHECK(by_op.emplace(row.op, &row).second);
    return by_op;
  }();
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace parallax::vulkan
