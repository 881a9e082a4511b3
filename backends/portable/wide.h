// Functions that have no accurate form in the type that kernels compute in: they are computed in a wider one, double
// for f32 and the halves and long double for f64, and rounded once.
#pragma once

#include "backends/portable/kernel.h"

namespace parallax::portable {

template <class C>
using Wider = std::conditional_t<std::is_same_v<C, float>, double, long double>;

// f(x), element by element.
template <class F>
Result<void> wide_elementwise(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(first_operand, dtype);
    for (C& x : values) x = static_cast<C>(F()(static_cast<Wider<C>>(x)));
    call.write(values);
  });
  return {};
}

// f(a, b); either may be a number.
template <class F>
Result<void> wide_binary(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> a = call.operand_or_number<C>(first_operand, dtype);
    const Numbers<C> b = call.operand_or_number<C>(second_operand, dtype);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<C>(F()(static_cast<Wider<C>>(a[i]), static_cast<Wider<C>>(b[i])));
    }
    call.write(a);
  });
  return {};
}

}  // namespace parallax::portable
