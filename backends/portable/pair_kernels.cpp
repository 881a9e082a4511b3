// Functions of two operands: powers, extremes that pass over NaN, angles, logarithms, signs and neighbours.
#include <algorithm>
#include <array>
#include <numbers>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

struct Power {
  template <class C>
  C operator()(C base, C exponent) const {
    if constexpr (std::is_integral_v<C>) {
      // 1 / base^n is whole for 1 and -1 alone.
      if (exponent < 0) return base == 1 ? 1 : base != -1 ? 0 : exponent % 2 == 0 ? 1 : -1;
      C power = 1;
      for (C square = base; exponent > 0; exponent /= 2, square = multiply(square, square)) {
        if (exponent % 2 == 1) power = multiply(power, square);
      }
      return power;
    } else {
      return std::pow(base, exponent);
    }
  }
};

// By a number: the roots that eager has for one half differ from the power at -infinity and -0.
Result<void> power_by_number(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const double exponent = call.real(arg::exponent);
  if (!is_floating(dtype) || std::fabs(exponent) != 0.5) return binary<Power>(call);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& x : values) x = exponent > 0 ? std::sqrt(x) : C(1) / std::sqrt(x);
    call.write(values);
  });
  return {};
}

// NaN only of two NaNs.
struct LargerNumber {
  template <class C>
  C operator()(C a, C b) const {
    return a != a || b > a ? b : a;
  }
};
struct SmallerNumber {
  template <class C>
  C operator()(C a, C b) const {
    return a != a || b < a ? b : a;
  }
};

// As it is by ATen: 0 of NaN, which is not above 0.
struct Heaviside {
  template <class C>
  C operator()(C x, C at_zero) const {
    return x == C(0) ? at_zero : static_cast<C>(x > C(0));
  }
};

struct ArcTangent {
  template <class C>
  C operator()(C y, C x) const {
    return std::atan2(y, x);
  }
};
struct Hypotenuse {
  template <class C>
  C operator()(C a, C b) const {
    return std::hypot(a, b);
  }
};
struct CopySign {
  template <class C>
  C operator()(C a, C b) const {
    return std::copysign(a, b);
  }
};

// log(e^a + e^b), and with powers of 2. The larger is taken out, and where both are one infinity it is the result.
struct LogOfSum {
  template <class C>
  C operator()(C a, C b) const {
    if (a == b && std::isinf(a)) return a;
    return std::max(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  }
};
struct BinaryLogOfSum {
  template <class C>
  C operator()(C a, C b) const {
    if (a == b && std::isinf(a)) return a;
    return std::max(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) * std::numbers::log2e_v<C>;
  }
};

// 0 where x is 0, but for NaN of y.
struct TimesLogarithm {
  template <class C>
  C operator()(C x, C y) const {
    return y != y ? y : x == C(0) ? C(0) : x * std::log(y);
  }
};
struct TimesLogarithmOfOneMore {
  template <class C>
  C operator()(C x, C y) const {
    return y != y ? y : x == C(0) ? C(0) : x * std::log1p(y);
  }
};

// The next number of a 16-bit format: its magnitude and sign as an integer that goes up with it.
template <class M>
float next_half(float from, float to) {
  if (from != from || to != to) return from + to;
  if (from == to) return to;
  const uint16_t bits = store<M>(from).bits;
  const bool up = to > from;
  if (from == 0.0F) return load<float>(M{static_cast<uint16_t>(up ? 0x0001 : 0x8001)});
  const bool away = up == (from > 0.0F);
  return load<float>(M{static_cast<uint16_t>(away ? bits + 1 : bits - 1)});
}

Result<void> nextafter(const KernelCall& call) {
  switch (call.output().dtype) {
    case DType::F16:
      combine<float>(call, next_half<HalfBits>);
      break;
    case DType::BF16:
      combine<float>(call, next_half<BrainBits>);
      break;
    case DType::F32:
      combine<float>(call, [](float a, float b) { return std::nextafter(a, b); });
      break;
    default:
      combine<double>(call, [](double a, double b) { return std::nextafter(a, b); });
  }
  return {};
}

// a * 2^n for whole n: the exponent is moved, and the result rounded once.
Result<void> move_exponent(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> exponents = call.operand<int64_t>(arg::other, DType::I64);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    // From any number of any format to an infinity or 0.
    constexpr int64_t whole_range = 5000;
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::ldexp(values[i], static_cast<int>(std::clamp(exponents[i], -whole_range, whole_range)));
    call.write(values);
  });
  return {};
}

constexpr std::array pair_table = {
    KernelEntry{"aten.pow.Tensor_Tensor", binary<Power>, Overwrites::Elements},
    KernelEntry{"aten.pow.Tensor_Scalar", power_by_number, Overwrites::Elements},
    KernelEntry{"aten.pow.Scalar", binary<Power>, Overwrites::Elements},
    KernelEntry{"aten.fmax.default", binary<LargerNumber>, Overwrites::Elements},
    KernelEntry{"aten.fmin.default", binary<SmallerNumber>, Overwrites::Elements},
    KernelEntry{"aten.heaviside.default", binary<Heaviside>, Overwrites::Elements},
    KernelEntry{"aten.atan2.default", float_binary<ArcTangent>, Overwrites::Elements},
    KernelEntry{"aten.hypot.default", float_binary<Hypotenuse>, Overwrites::Elements},
    KernelEntry{"aten.copysign.Tensor", float_binary<CopySign>, Overwrites::Elements},
    KernelEntry{"aten.copysign.Scalar", float_binary<CopySign>, Overwrites::Elements},
    KernelEntry{"aten.logaddexp.default", float_binary<LogOfSum>, Overwrites::Elements},
    KernelEntry{"aten.logaddexp2.default", float_binary<BinaryLogOfSum>, Overwrites::Elements},
    KernelEntry{"aten.xlogy.Tensor", float_binary<TimesLogarithm>, Overwrites::Elements},
    KernelEntry{"aten.xlogy.Scalar_Other", float_binary<TimesLogarithm>, Overwrites::Elements},
    KernelEntry{"aten.xlogy.Scalar_Self", float_binary<TimesLogarithm>, Overwrites::Elements},
    KernelEntry{"aten.special_xlog1py.default", float_binary<TimesLogarithmOfOneMore>, Overwrites::Elements},
    KernelEntry{"aten.special_xlog1py.other_scalar", float_binary<TimesLogarithmOfOneMore>, Overwrites::Elements},
    KernelEntry{"aten.special_xlog1py.self_scalar", float_binary<TimesLogarithmOfOneMore>, Overwrites::Elements},
    KernelEntry{"aten.ldexp.Tensor", move_exponent, Overwrites::Elements},
    KernelEntry{"aten.nextafter.default", nextafter, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> pair_kernels() { return pair_table; }

}  // namespace parallax::portable
