// Values that come from no tensor, or replace some of one.
#include <algorithm>
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// A Python number as an element of the dtype, in the compute type.
template <class C>
C element(DType dtype, const Scalar& number) {
  if (dtype == DType::Bool) return static_cast<C>(as_double(number) != 0);
  return std::visit([](auto x) { return convert<C>(x); }, number);
}

void fill_with(const KernelCall& call, const Scalar& number) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.numbers<C>(call.output().layout->numel());
    std::ranges::fill(values, element<C>(dtype, number));
    call.write(values);
  });
}

// full and full_like call the number a fill value.
Result<void> fill_parameter(const KernelCall& call) {
  fill_with(call, call.scalar(call.takes(arg::fill_value) ? arg::fill_value : arg::value));
  return {};
}

template <int64_t constant>
Result<void> fill_constant(const KernelCall& call) {
  fill_with(call, Scalar(constant));
  return {};
}

// The 0-d tensor `value`, converted into the output's dtype; into bool, whether it is not 0 (0.3 is true).
template <class C>
C only_element(const KernelCall& call) {
  if (call.output().dtype == DType::Bool) {
    return static_cast<C>(call.read<double>(arg::value, DType::F64).front() != 0);
  }
  return call.read<C>(arg::value, call.output().dtype).front();
}

Result<void> fill_tensor(const KernelCall& call) {
  with_compute_type(call.output().dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.numbers<C>(call.output().layout->numel());
    std::ranges::fill(values, only_element<C>(call));
    call.write(values);
  });
  return {};
}

Result<void> masked_fill(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> mask = call.operand<int64_t>(arg::mask, DType::Bool);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const auto* number = std::get_if<Scalar>(&call.argument(arg::value));
    const C value = number ? element<C>(dtype, *number) : only_element<C>(call);
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (mask[i]) values[i] = value;
    }
    call.write(values);
  });
  return {};
}

// start + i step: integers exactly, floats in double whatever the dtype.
Result<void> arange(const KernelCall& call) {
  const auto ramp = [&]<class C>(std::type_identity<C>) {
    const C start = call.number<C>(arg::start);
    const C step = call.number<C>(arg::step);
    Numbers<C> values = call.numbers<C>(call.output().layout->numel());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = add(start, multiply(static_cast<C>(i), step));
    call.write(values);
  };
  if (is_floating(call.output().dtype)) {
    ramp(std::type_identity<double>());
  } else {
    ramp(std::type_identity<int64_t>());
  }
  return {};
}

constexpr std::array fill_table = {
    KernelEntry{"aten.full.default", fill_parameter},        KernelEntry{"aten.full_like.default", fill_parameter},
    KernelEntry{"aten.fill.Scalar", fill_parameter},         KernelEntry{"aten.fill.Tensor", fill_tensor},
    KernelEntry{"aten.zero.default", fill_constant<0>},      KernelEntry{"aten.zeros_like.default", fill_constant<0>},
    KernelEntry{"aten.ones_like.default", fill_constant<1>}, KernelEntry{"aten.masked_fill.Scalar", masked_fill},
    KernelEntry{"aten.masked_fill.Tensor", masked_fill},     KernelEntry{"aten.arange.start_step", arange},
};

}  // namespace

std::span<const KernelEntry> fill_kernels() { return fill_table; }

}  // namespace parallax::portable
