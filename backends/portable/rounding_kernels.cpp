// Rounding to whole numbers, signs, and numbers put in place of those that are not finite.
#include <array>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

#define PARALLAX_ROUNDING(Name, function)    \
  struct Name {                              \
    template <class C>                       \
    C operator()(C x) const {                \
      if constexpr (std::is_integral_v<C>) { \
        return x;                            \
      } else {                               \
        return function(x);                  \
      }                                      \
    }                                        \
  }
PARALLAX_ROUNDING(Ceiling, std::ceil);
PARALLAX_ROUNDING(Floor, std::floor);
PARALLAX_ROUNDING(Nearest, std::nearbyint);  // ties to even
PARALLAX_ROUNDING(Cut, std::trunc);
#undef PARALLAX_ROUNDING

struct Sign {
  template <class C>
  C operator()(C x) const {
    return static_cast<C>((x > C(0)) - (x < C(0)));
  }
};

// A multiple of 10^-decimals.
Result<void> round_decimals(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t decimals = call.integer(arg::decimals);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const auto power = static_cast<C>(std::pow(10.0, static_cast<double>(std::abs(decimals))));
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& x : values) {
      x = decimals < 0 ? std::nearbyint(x / power) * power : std::nearbyint(x * power) / power;
    }
    call.write(values);
  });
  return {};
}

Result<void> signbit(const KernelCall& call) {
  Numbers<int64_t> flags = call.numbers<int64_t>(call.output().layout->numel());
  with_compute_type(call.input(arg::self).dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.operand<C>(arg::self, call.input(arg::self).dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_integral_v<C>) {
        flags[i] = values[i] < 0;
      } else {
        flags[i] = std::signbit(values[i]);
      }
    }
  });
  call.write(flags);
  return {};
}

Result<void> nan_to_num(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  if (!is_floating(dtype)) return elementwise<Cut>(call);
  const double largest = info(dtype).max_finite;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const auto number = [&](arg name, double otherwise) {
      return call.has(name) ? call.number<C>(name, dtype) : static_cast<C>(otherwise);
    };
    const C for_nan = number(arg::nan, 0);
    const C for_most = number(arg::posinf, largest);
    const C for_least = number(arg::neginf, -largest);
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& x : values) {
      if (std::isnan(x)) {
        x = for_nan;
      } else if (std::isinf(x)) {
        x = x > C(0) ? for_most : for_least;
      }
    }
    call.write(values);
  });
  return {};
}

constexpr std::array rounding_table = {
    KernelEntry{"aten.ceil.default", elementwise<Ceiling>, Overwrites::Elements},
    KernelEntry{"aten.floor.default", elementwise<Floor>, Overwrites::Elements},
    KernelEntry{"aten.round.default", elementwise<Nearest>, Overwrites::Elements},
    KernelEntry{"aten.trunc.default", elementwise<Cut>, Overwrites::Elements},
    KernelEntry{"aten.round.decimals", round_decimals, Overwrites::Elements},
    KernelEntry{"aten.sign.default", elementwise<Sign>, Overwrites::Elements},
    KernelEntry{"aten.sgn.default", elementwise<Sign>, Overwrites::Elements},
    KernelEntry{"aten.signbit.default", signbit, Overwrites::Elements},
    KernelEntry{"aten.nan_to_num.default", nan_to_num, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> rounding_kernels() { return rounding_table; }

}  // namespace parallax::portable
