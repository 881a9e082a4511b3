// Loops of kernels that go element by element, for the files that hold what is done to each.
#pragma once

#include "backends/portable/kernel.h"

namespace parallax::portable {

// f(x) in the result's dtype, integers too.
template <class F>
Result<void> elementwise(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(first_operand, dtype);
    for (C& x : values) x = F()(x);
    call.write(values);
  });
  return {};
}

// f(x) of ops whose result is a float whatever goes in.
template <class F>
Result<void> float_elementwise(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(first_operand, dtype);
    for (C& x : values) x = F()(x);
    call.write(values);
  });
  return {};
}

// f(a, b) for the first two parameters, each a tensor or a number: `1 - x` has the number first.
template <class C, class F>
void combine(const KernelCall& call, F&& f) {
  const DType dtype = call.output().dtype;
  Numbers<C> a = call.operand_or_number<C>(first_operand, dtype);
  const Numbers<C> b = call.operand_or_number<C>(second_operand, dtype);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = f(a[i], b[i]);
  call.write(a);
}

template <class F>
Result<void> binary(const KernelCall& call) {
  with_compute_type(call.output().dtype, [&]<class C>(std::type_identity<C>) { combine<C>(call, F()); });
  return {};
}

template <class F>
Result<void> float_binary(const KernelCall& call) {
  with_float_type(call.output().dtype, [&]<class C>(std::type_identity<C>) { combine<C>(call, F()); });
  return {};
}

template <class F>
Result<void> integer_binary(const KernelCall& call) {
  combine<int64_t>(call, F());
  return {};
}

}  // namespace parallax::portable
