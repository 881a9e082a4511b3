// Quotients that are rounded to integers, and what a division that cuts leaves.
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// What eager says where an integer is divided by zero.
constexpr std::string_view zero_division = "integer division by zero";

struct Rest {
  template <class C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      return b == -1 ? 0 : a % b;  // the lowest integer by -1 would trap
    } else {
      return std::fmod(a, b);
    }
  }
};

struct Cut {
  template <class C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      return b == -1 ? negate(a) : a / b;
    } else {
      return std::trunc(a / b);
    }
  }
};

// Not the floor of the quotient, which may have been rounded up: 1 by 0.1 leaves nearly 0.1, and is 9.
struct Floored {
  template <class C>
  C operator()(C a, C b) const {
    if constexpr (std::is_integral_v<C>) {
      const C rest = Rest()(a, b);
      return Cut()(a, b) - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
    } else {
      if (b == 0) return a / b;
      const C rest = std::fmod(a, b);
      C quotient = (a - rest) / b;
      if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
      return quotient == 0 ? std::copysign(C(0), a / b) : std::round(quotient);
    }
  }
};

struct Quotient {
  template <class C>
  C operator()(C a, C b) const {
    return a / b;  // of floats: where no mode is given, integers are divided as such
  }
};

// f(a, b) of tensors or a tensor and a number, in the result's dtype.
template <class F>
Result<void> divide(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  return with_compute_type(dtype, [&]<class C>(std::type_identity<C>) -> Result<void> {
    Numbers<C> a = call.operand<C>(arg::self, dtype);
    const Numbers<C> b = call.operand_or_number<C>(arg::other, dtype);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::is_integral_v<C> && b[i] == 0) return fail("{}", zero_division);
      a[i] = F()(a[i], b[i]);
    }
    call.write(a);
    return {};
  });
}

Result<void> divide_by_mode(const KernelCall& call) {
  if (!call.has(arg::rounding_mode)) return divide<Quotient>(call);
  return call.text(arg::rounding_mode) == "floor" ? divide<Floored>(call) : divide<Cut>(call);
}

constexpr std::array division_table = {
    KernelEntry{"aten.div.Tensor_mode", divide_by_mode, Overwrites::Elements},
    KernelEntry{"aten.div.Scalar_mode", divide_by_mode, Overwrites::Elements},
    KernelEntry{"aten.fmod.Tensor", divide<Rest>, Overwrites::Elements},
    KernelEntry{"aten.fmod.Scalar", divide<Rest>, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> division_kernels() { return division_table; }

}  // namespace parallax::portable
