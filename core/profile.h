// Profile: what a target promises of its arithmetic: a rounding model, the errors of functions and the forms that are
// allowed. The oracle's bound holds for every implementation that keeps it.
//
// Profiles are data: one JSON file each in core/profiles, built into the program (ops/profiles.h), and what a worker
// may send in its greeting. docs/profiles.md has the format and where each number comes from.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/allowed_forms.h"
#include "core/dtype.h"

namespace parallax {

// The functions whose error a profile may name; Other is every one that it does not.
enum class FunctionKind : uint8_t {
  Division,
  Sqrt,
  Rsqrt,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Power,
  Sigmoid,
  Erf,
  Gamma,
  Other,
};
inline constexpr int function_kinds = 27;
// As in the data files: "division", "sqrt" …; Other is "other".
std::string_view name(FunctionKind kind);

// How far an implementation may be off: the larger of `ulp` units in the last place of its result, with
// `ulp_per_operand` more for each unit of |x|, and `absolute`. Beyond |x| = `nan_beyond` it may give NaN as well. With
// `keeps_zeros` it is 0 where the function is, of 0 or 1, whatever `absolute` is: log(1), asin(0). With `keeps_range` it
// is no further out than the function gets: a sigmoid is not negative, a tanh not over 1. A division that is
// `exact_by_powers` rounds once where the divisor is a power of two: x (1 / y) does, whose reciprocal is exact then.
struct FunctionError {
  float ulp = 4;
  float ulp_per_operand = 0;
  float absolute = 0;
  float nan_beyond = std::numeric_limits<float>::infinity();
  bool keeps_zeros = false;
  bool keeps_range = false;
  bool exact_by_powers = false;

  // Whether a result that is 0 by the function is 0 for certain: an error in units of it is none.
  bool hits_zeros() const { return absolute == 0 || keeps_zeros; }
};

// How results and operands are rounded, whatever computes them.
struct RoundingModel {
  bool flush_to_zero = false;       // subnormal results may become 0
  bool flushes_operands = false;    // a subnormal f32 or f64 operand may count as 0
  bool rounding_mode_open = false;  // round to zero is allowed: the unit roundoff doubles
  // The precision in bits that factors of f32 products may be rounded to: 24, 11 (TF32) or 8 (bf16).
  int product_precision = 24;

  // The unit roundoff of one operation into `dtype`.
  double unit_roundoff(DType dtype) const { return info(dtype).unit_roundoff * (rounding_mode_open ? 2 : 1); }
  // The absolute error of one rounding near zero. Half of f64's smallest subnormal is no double: there it is the whole.
  double underflow(DType dtype) const {
    if (flush_to_zero) return info(dtype).smallest_normal;
    return dtype == DType::F64 ? info(dtype).smallest_subnormal : info(dtype).smallest_subnormal / 2;
  }
};

struct Profile : RoundingModel {
  std::string name;
  // By function and floating dtype (dtype_count entries are kept, so that a dtype is the index). Up to 0.5 ulp a
  // division or square root rounds as IEEE 754 has it. Those two round in f32 where the dtype is a half.
  std::array<std::array<FunctionError, dtype_count>, function_kinds> functions;
  AllowedForms allowed;

  const FunctionError& error_of(FunctionKind kind, DType dtype) const {
    return functions[static_cast<std::size_t>(kind)][static_cast<std::size_t>(dtype)];
  }
};

}  // namespace parallax
