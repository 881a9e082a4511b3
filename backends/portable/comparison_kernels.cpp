// Comparisons into bool, and what bool decides.
#include <array>
#include <functional>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// PyTorch's promotion of a tensor with a second operand: dims outrank 0-d tensors, which outrank Python numbers, but
// only within a category (bool, integer, float); a higher category always wins.
int category(DType dtype) { return dtype == DType::Bool ? 0 : is_integral(dtype) ? 1 : 2; }

DType common_of(DType strong, DType weak) { return category(weak) > category(strong) ? weak : strong; }

DType common_dtype(const KernelCall& call) {
  const TensorRef& a = call.input(arg::self);
  if (const auto* number = std::get_if<Scalar>(&call.argument(arg::other))) {
    const DType weak = std::holds_alternative<double>(*number)    ? DType::F32
                       : std::holds_alternative<int64_t>(*number) ? DType::I64
                                                                  : DType::Bool;
    return common_of(a.dtype, weak);
  }
  const TensorRef& b = call.input(arg::other);
  const bool a_is_weak = a.layout->rank() == 0;
  const bool b_is_weak = b.layout->rank() == 0;
  if (a_is_weak == b_is_weak) return promote(a.dtype, b.dtype);
  return a_is_weak ? common_of(b.dtype, a.dtype) : common_of(a.dtype, b.dtype);
}

void write_flags(const KernelCall& call, const Numbers<int64_t>& flags) { call.write(flags); }

template <class F>
Result<void> compare(const KernelCall& call) {
  const DType common = common_dtype(call);
  Numbers<int64_t> flags = call.numbers<int64_t>(call.output().layout->numel());
  with_compute_type(common, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> a = call.operand<C>(arg::self, common);
    if (call.is_tensor(arg::other)) {
      const Numbers<C> b = call.operand<C>(arg::other, common);
      for (std::size_t i = 0; i < a.size(); ++i) flags[i] = F()(a[i], b[i]);
    } else {
      const C b = call.number<C>(arg::other, common);
      for (std::size_t i = 0; i < a.size(); ++i) flags[i] = F()(a[i], b);
    }
  });
  write_flags(call, flags);
  return {};
}

Result<void> logical_not(const KernelCall& call) {
  Numbers<int64_t> flags = call.numbers<int64_t>(call.output().layout->numel());
  with_compute_type(call.input(arg::self).dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.operand<C>(arg::self, call.input(arg::self).dtype);
    for (std::size_t i = 0; i < values.size(); ++i) flags[i] = values[i] == C(0);
  });
  write_flags(call, flags);
  return {};
}

// where(condition, self, other)
Result<void> where(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> condition = call.operand<int64_t>(arg::condition, DType::Bool);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    const Numbers<C> other = call.operand<C>(arg::other, dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!condition[i]) values[i] = other[i];
    }
    call.write(values);
  });
  return {};
}

constexpr std::array comparison_table = {
    KernelEntry{"aten.lt.Tensor", compare<std::less<>>, Overwrites::Elements},
    KernelEntry{"aten.lt.Scalar", compare<std::less<>>, Overwrites::Elements},
    KernelEntry{"aten.le.Tensor", compare<std::less_equal<>>, Overwrites::Elements},
    KernelEntry{"aten.le.Scalar", compare<std::less_equal<>>, Overwrites::Elements},
    KernelEntry{"aten.gt.Tensor", compare<std::greater<>>, Overwrites::Elements},
    KernelEntry{"aten.gt.Scalar", compare<std::greater<>>, Overwrites::Elements},
    KernelEntry{"aten.ge.Tensor", compare<std::greater_equal<>>, Overwrites::Elements},
    KernelEntry{"aten.ge.Scalar", compare<std::greater_equal<>>, Overwrites::Elements},
    KernelEntry{"aten.eq.Tensor", compare<std::equal_to<>>, Overwrites::Elements},
    KernelEntry{"aten.eq.Scalar", compare<std::equal_to<>>, Overwrites::Elements},
    KernelEntry{"aten.ne.Tensor", compare<std::not_equal_to<>>, Overwrites::Elements},
    KernelEntry{"aten.ne.Scalar", compare<std::not_equal_to<>>, Overwrites::Elements},
    KernelEntry{"aten.logical_not.default", logical_not, Overwrites::Elements},
    KernelEntry{"aten.where.self", where, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> comparison_kernels() { return comparison_table; }

}  // namespace parallax::portable
