// Distances of vectors: of every one to every other of a second set, or of each pair of one set.
#include <algorithm>
#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// The order-norm of the difference of two vectors.
template <class C>
C distance(std::span<const C> a, std::span<const C> b, double order) {
  const C power = static_cast<C>(order);
  C sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const C difference = std::fabs(a[i] - b[i]);
    if (order == 0) {
      sum += difference != difference ? difference : C(difference != C(0));
    } else if (order == 1) {
      sum += difference;
    } else if (order == 2) {
      sum += difference * difference;
    } else if (std::isinf(order)) {
      sum = sum != sum || sum > difference ? sum : difference;
    } else {
      sum += std::pow(difference, power);
    }
  }
  if (order == 2) return std::sqrt(sum);
  return order == 0 || order == 1 || std::isinf(order) ? sum : std::pow(sum, C(1) / power);
}

// The distance in the way of one product of matrices: sqrt(|a|^2 + |b|^2 - 2 a b), where infinities meet as they would
// not in the difference.
template <class C>
C distance_by_product(std::span<const C> a, std::span<const C> b) {
  C sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * a[i] + b[i] * b[i] - 2 * a[i] * b[i];
  return sum < C(0) ? C(0) : std::sqrt(sum);
}

// Whether eager multiplies matrices: never, always, or where one has many rows.
bool is_by_product(const KernelCall& call) {
  constexpr int64_t many = 25;
  if (call.real(arg::p) != 2) return false;
  const int64_t mode = call.has(arg::compute_mode) ? call.integer(arg::compute_mode) : 0;
  const Dims& sizes = call.output_sizes();
  return mode == 1 || (mode == 0 && (sizes[sizes.size() - 1] > many || sizes[sizes.size() - 2] > many));
}

// [.., p, m] and [.., r, m], their batches broadcast.
Result<void> cdist(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  Dims pairs = call.output_sizes();
  const int64_t length = call.input(arg::x1).layout->sizes.back();
  pairs.push_back(length);
  // Each operand with a dim of size 1 for the other's vectors.
  const auto shown = [&](arg name, int added_from_last) {
    Layout layout = *call.input(name).layout;
    layout.sizes.insert(layout.rank() - added_from_last, 1);
    layout.strides.insert(layout.strides.size() - added_from_last, 0);
    return *broadcast_to(layout, pairs);
  };
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> a = call.read<C>(call.input(arg::x1), shown(arg::x1, 1), dtype);
    const Numbers<C> b = call.read<C>(call.input(arg::x2), shown(arg::x2, 2), dtype);
    Numbers<C> distances = call.numbers<C>(call.output().layout->numel());
    const auto size = static_cast<std::size_t>(length);
    const bool by_product = is_by_product(call);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const std::span<const C> x = std::span(a).subspan(i * size, size);
      const std::span<const C> y = std::span(b).subspan(i * size, size);
      distances[i] = by_product ? distance_by_product<C>(x, y) : distance<C>(x, y, call.real(arg::p));
    }
    call.write(distances);
  });
  return {};
}

Result<void> pdist(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  const DType dtype = call.output().dtype;
  const auto count = static_cast<std::size_t>(self.layout->sizes[0]);
  const auto size = static_cast<std::size_t>(self.layout->sizes[1]);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(self, *self.layout, dtype);
    const auto row = [&](std::size_t i) { return std::span<const C>(values).subspan(i * size, size); };
    Numbers<C> distances = call.numbers<C>(0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) distances.push_back(distance<C>(row(i), row(j), call.real(arg::p)));
    }
    call.write(distances);
  });
  return {};
}

constexpr std::array distance_table = {
    KernelEntry{"aten._cdist_forward.default", cdist},
    KernelEntry{"aten._pdist_forward.default", pdist},
};

}  // namespace

std::span<const KernelEntry> distance_kernels() { return distance_table; }

}  // namespace parallax::portable
