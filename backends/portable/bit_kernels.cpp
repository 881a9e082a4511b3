// Bits of integers, and their divisors. A bool is one bit.
#include <array>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

Result<void> bitwise_not(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  Numbers<int64_t> values = call.operand<int64_t>(arg::self, dtype);
  for (int64_t& x : values) x = dtype == DType::Bool ? !x : ~x;
  call.write(values);
  return {};
}

struct And {
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct Or {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct Xor {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};

// By as many bits as there are, or by a negative number, nothing is left but the sign of what goes right.
Result<void> shift_left(const KernelCall& call) {
  const int64_t width = size_of(call.output().dtype) * 8;
  combine<int64_t>(call, [&](int64_t a, int64_t b) {
    return b < 0 || b >= width ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  });
  return {};
}
Result<void> shift_right(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t most = size_of(dtype) * 8 - (dtype == DType::U8 ? 0 : 1);
  combine<int64_t>(call, [&](int64_t a, int64_t b) { return a >> (b < 0 || b >= most ? most : b); });
  return {};
}

// |x| in the dtype, where that of the least integer is itself.
int64_t magnitude(DType dtype, int64_t x) { return x < 0 ? rounded_to(dtype, negate(x)) : x; }

// Of the least integer it may be negative, as eager's is.
int64_t common_divisor(DType dtype, int64_t a, int64_t b) {
  a = magnitude(dtype, a);
  b = magnitude(dtype, b);
  while (a != 0) {
    const int64_t rest = a == -1 ? 0 : b % a;
    b = a;
    a = rest;
  }
  return b;
}

Result<void> gcd(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  combine<int64_t>(call, [&](int64_t a, int64_t b) { return common_divisor(dtype, a, b); });
  return {};
}

Result<void> lcm(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  // Products of what is narrower than an int are taken in one.
  const DType wide = dtype == DType::I64 ? DType::I64 : DType::I32;
  combine<int64_t>(call, [&](int64_t a, int64_t b) {
    const int64_t divisor = common_divisor(dtype, a, b);
    if (divisor == 0) return divisor;
    const int64_t quotient = divisor == -1 ? negate(a) : a / divisor;
    return magnitude(wide, rounded_to(wide, multiply(quotient, b)));
  });
  return {};
}

constexpr std::array bit_table = {
    KernelEntry{"aten.bitwise_not.default", bitwise_not, Overwrites::Elements},
    KernelEntry{"aten.bitwise_and.Tensor", integer_binary<And>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_and.Scalar", integer_binary<And>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_and.Scalar_Tensor", integer_binary<And>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_or.Tensor", integer_binary<Or>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_or.Scalar", integer_binary<Or>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_or.Scalar_Tensor", integer_binary<Or>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_xor.Tensor", integer_binary<Xor>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_xor.Scalar", integer_binary<Xor>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_xor.Scalar_Tensor", integer_binary<Xor>, Overwrites::Elements},
    KernelEntry{"aten.bitwise_left_shift.Tensor", shift_left, Overwrites::Elements},
    KernelEntry{"aten.bitwise_left_shift.Tensor_Scalar", shift_left, Overwrites::Elements},
    KernelEntry{"aten.bitwise_left_shift.Scalar_Tensor", shift_left, Overwrites::Elements},
    KernelEntry{"aten.bitwise_right_shift.Tensor", shift_right, Overwrites::Elements},
    KernelEntry{"aten.bitwise_right_shift.Tensor_Scalar", shift_right, Overwrites::Elements},
    KernelEntry{"aten.bitwise_right_shift.Scalar_Tensor", shift_right, Overwrites::Elements},
    KernelEntry{"aten.gcd.default", gcd, Overwrites::Elements},
    KernelEntry{"aten.lcm.default", lcm, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> bit_kernels() { return bit_table; }

}  // namespace parallax::portable
