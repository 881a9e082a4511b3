// Bitwise: two integers, bit by bit or shifted, and what they have in common.
#include <bit>

#include "ops/binary_op.h"
#include "ops/families.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;
using Bools = BinaryFunction::Bools;

constexpr BinaryFunction bitwise_and = {.integral = [](DType, int64_t a, int64_t b) { return std::optional(a & b); },
                                        .floats = Floats::Refused};
constexpr BinaryFunction bitwise_or = {.integral = [](DType, int64_t a, int64_t b) { return std::optional(a | b); },
                                       .floats = Floats::Refused};
constexpr BinaryFunction bitwise_xor = {.integral = [](DType, int64_t a, int64_t b) { return std::optional(a ^ b); },
                                        .floats = Floats::Refused};

// The bits that a shift moves through; one by more, or by less than 0, moves all of them out.
bool shifts_out(DType dtype, int64_t bits) { return bits < 0 || bits >= 8 * size_of(dtype); }

std::optional<int64_t> shifted_left(DType dtype, int64_t a, int64_t bits) {
  return shifts_out(dtype, bits) ? 0 : std::bit_cast<int64_t>(static_cast<uint64_t>(a) << bits);
}

std::optional<int64_t> shifted_right(DType dtype, int64_t a, int64_t bits) {
  if (shifts_out(dtype, bits)) return a < 0 ? -1 : 0;
  return a >> bits;
}

// A shift that leaves something of a byte.
Scalar draw_shift(Choices& choices, DType) { return choices.between(0, 5); }

constexpr BinaryFunction left_shift = {.integral = shifted_left,
                                       .shifts_out = shifts_out,
                                       .floats = Floats::Refused,
                                       .bools = Bools::NotAlone,
                                       .draw_number = draw_shift};
constexpr BinaryFunction right_shift = {.integral = shifted_right,
                                        .shifts_out = shifts_out,
                                        .floats = Floats::Refused,
                                        .bools = Bools::NotAlone,
                                        .draw_number = draw_shift};

// |a| in the dtype, where the lowest integer has none and stays.
int64_t magnitude(DType dtype, int64_t a) { return wrap_to(dtype, a < 0 ? wrapping_sub(0, a) : a); }

// Eager's loop, down to what it makes of the lowest integer.
int64_t greatest_common_divisor(DType dtype, int64_t a, int64_t b) {
  a = magnitude(dtype, a);
  b = magnitude(dtype, b);
  while (a != 0) {
    const int64_t rest = a == -1 ? 0 : b % a;
    b = a;
    a = rest;
  }
  return b;
}

constexpr BinaryFunction gcd = {
    .integral = [](DType dtype, int64_t a, int64_t b) { return std::optional(greatest_common_divisor(dtype, a, b)); },
    .floats = Floats::Refused,
    .bools = Bools::NotAlone};

// C computes small integers as 32-bit ones, so that is where the product wraps.
std::optional<int64_t> least_common_multiple(DType dtype, int64_t a, int64_t b) {
  const int64_t divisor = greatest_common_divisor(dtype, a, b);
  if (divisor == 0) return 0;
  const DType computed = dtype == DType::I64 ? DType::I64 : DType::I32;
  const int64_t steps = divisor == -1 ? wrapping_sub(0, a) : a / divisor;
  return magnitude(computed, wrap_to(computed, wrapping_mul(steps, b)));
}

constexpr BinaryFunction lcm = {.integral = least_common_multiple, .floats = Floats::Refused, .bools = Bools::NotAlone};

}  // namespace

std::vector<OpDef> bitwise_family() {
  return {
      binary_op<bitwise_and>("bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_and>("bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<bitwise_and>("bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),
      binary_op<bitwise_or>("bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_or>("bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<bitwise_or>("bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),
      binary_op<bitwise_xor>("bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_xor>("bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<bitwise_xor>("bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),
      binary_op<left_shift>("bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<left_shift>("bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<left_shift>("bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),
      binary_op<right_shift>("bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<right_shift>("bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<right_shift>("bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"),
      binary_op<gcd>("gcd(Tensor self, Tensor other) -> Tensor"),
      binary_op<lcm>("lcm(Tensor self, Tensor other) -> Tensor"),

      binary_twin<bitwise_and>("bitwise_and_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                               "aten.bitwise_and.Tensor"),
      binary_twin<bitwise_and>("bitwise_and_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                               "aten.bitwise_and.Scalar"),
      binary_twin<bitwise_or>("bitwise_or_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                              "aten.bitwise_or.Tensor"),
      binary_twin<bitwise_or>("bitwise_or_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                              "aten.bitwise_or.Scalar"),
      binary_twin<bitwise_xor>("bitwise_xor_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                               "aten.bitwise_xor.Tensor"),
      binary_twin<bitwise_xor>("bitwise_xor_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                               "aten.bitwise_xor.Scalar"),
      binary_twin<left_shift>("bitwise_left_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                              "aten.bitwise_left_shift.Tensor"),
      binary_twin<left_shift>("bitwise_left_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                              "aten.bitwise_left_shift.Tensor_Scalar"),
      binary_twin<right_shift>("bitwise_right_shift_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
                               "aten.bitwise_right_shift.Tensor"),
      binary_twin<right_shift>("bitwise_right_shift_.Tensor_Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
                               "aten.bitwise_right_shift.Tensor_Scalar"),
      binary_twin<gcd>("gcd_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.gcd.default"),
      binary_twin<lcm>("lcm_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.lcm.default"),

      // What Python's operators are called.
      binary_op<bitwise_and>("__and__.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_and>("__and__.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<bitwise_or>("__or__.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_or>("__or__.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<bitwise_xor>("__xor__.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<bitwise_xor>("__xor__.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_twin<bitwise_and>("__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.__and__.Tensor"),
      binary_twin<bitwise_and>("__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.__and__.Scalar"),
      binary_twin<bitwise_or>("__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.__or__.Tensor"),
      binary_twin<bitwise_or>("__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.__or__.Scalar"),
      binary_twin<bitwise_xor>("__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.__xor__.Tensor"),
      binary_twin<bitwise_xor>("__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.__xor__.Scalar"),
  };
}

}  // namespace parallax
