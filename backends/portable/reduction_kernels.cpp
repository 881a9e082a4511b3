// Reductions over dims, norms, and cumsum. Floats accumulate in the compute type: f16 and bf16 in float.
#include <algorithm>
#include <array>
#include <limits>

#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// Which dims a call reduces: those that its parameter `dim` names, or all where there is none.
std::array<bool, max_rank> reduced_dims(const KernelCall& call, int rank) {
  std::array<bool, max_rank> reduced{};
  const auto mark = [&](int64_t dim) {
    if (rank > 0) reduced[static_cast<std::size_t>(wrapped_dim(dim, rank))] = true;
  };
  const bool given = call.has(arg::dim);
  const auto* list = given ? std::get_if<IntList>(&call.argument(arg::dim)) : nullptr;
  if (!given || (list && list->empty())) {
    reduced.fill(true);
  } else if (list) {
    for (int64_t dim : *list) mark(dim);
  } else {
    mark(call.integer(arg::dim));
  }
  return reduced;
}

// A layout over the operand's sizes that leads from each of its elements to the row-major place of its result.
Layout result_places(const Dims& sizes, const std::array<bool, max_rank>& reduced) {
  Layout places{sizes, Dims::filled(sizes.size(), 0), 0};
  int64_t stride = 1;
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    if (reduced[static_cast<std::size_t>(dim)]) continue;
    places.strides[dim] = stride;
    stride *= sizes[dim];
  }
  return places;
}

struct Sum {
  template <class C>
  static constexpr C start = C(0);
  template <class C>
  C operator()(C total, C x) const {
    return add(total, x);
  }
};
struct Product {
  template <class C>
  static constexpr C start = C(1);
  template <class C>
  C operator()(C total, C x) const {
    return multiply(total, x);
  }
};
// NaN counts as 0.
struct SumOfNumbers {
  template <class C>
  static constexpr C start = C(0);
  template <class C>
  C operator()(C total, C x) const {
    return x != x ? total : add(total, x);
  }
};
struct Largest {
  template <class C>
  static constexpr C start =
      std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
  template <class C>
  C operator()(C largest, C x) const {
    return largest != largest || largest > x ? largest : x;
  }
};

template <class C, class F>
Numbers<C> folded(const KernelCall& call, C start, F&& f) {
  const DType dtype = call.output().dtype;
  const TensorRef& input = call.input(arg::self);
  const Dims& sizes = input.layout->sizes;
  const Layout places = result_places(sizes, reduced_dims(call, sizes.size()));
  const Numbers<C> values = call.read<C>(arg::self, dtype);
  Numbers<C> totals = call.numbers<C>(call.output().layout->numel());
  std::ranges::fill(totals, start);
  std::size_t next = 0;
  for_each_element(places, [&](int64_t place) {
    C& total = totals[static_cast<std::size_t>(place)];
    total = f(total, values[next++]);
  });
  return totals;
}

template <class C, class F>
Numbers<C> reduced(const KernelCall& call, F f) {
  return folded<C>(call, F::template start<C>, f);
}

template <class F>
Result<void> reduce(const KernelCall& call) {
  with_compute_type(call.output().dtype, [&]<class C>(std::type_identity<C>) { call.write(reduced<C>(call, F())); });
  return {};
}

Result<void> mean(const KernelCall& call) {
  with_float_type(call.output().dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> totals = reduced<C>(call, Sum());
    const auto results = static_cast<int64_t>(totals.size());
    const auto count = static_cast<C>(results == 0 ? 0 : call.input(arg::self).layout->numel() / results);
    for (C& total : totals) total /= count;
    call.write(totals);
  });
  return {};
}

// The sum of |x|^order to its root; at the ends of the orders an extreme, at 0 how many are not 0.
template <class C>
Numbers<C> vector_norm_of(const KernelCall& call, double order) {
  if (std::isinf(order) && order > 0) {
    return folded(call, C(0), [](C most, C x) { return most != most || most > std::fabs(x) ? most : std::fabs(x); });
  }
  if (std::isinf(order)) {
    return folded(call, std::numeric_limits<C>::infinity(),
                  [](C least, C x) { return least != least || least < std::fabs(x) ? least : std::fabs(x); });
  }
  if (order == 0) return folded(call, C(0), [](C count, C x) { return count + C(x != C(0)); });
  if (order == 1) return folded(call, C(0), [](C sum, C x) { return sum + std::fabs(x); });
  if (order == 2) {
    Numbers<C> norms = folded(call, C(0), [](C sum, C x) { return sum + x * x; });
    for (C& norm : norms) norm = std::sqrt(norm);
    return norms;
  }
  const C power = static_cast<C>(order);
  Numbers<C> norms = folded(call, C(0), [&](C sum, C x) { return sum + std::pow(std::fabs(x), power); });
  for (C& norm : norms) norm = std::pow(norm, C(1) / power);
  return norms;
}

Result<void> vector_norm(const KernelCall& call) {
  const arg exponent = call.takes(arg::ord) ? arg::ord : arg::p;
  const double order = call.has(exponent) ? call.real(exponent) : 2;
  with_float_type(call.output().dtype,
                  [&]<class C>(std::type_identity<C>) { call.write(vector_norm_of<C>(call, order)); });
  return {};
}

Result<void> cumsum(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Dims& sizes = call.output_sizes();
  const int rank = sizes.size();
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    if (rank > 0) {
      const auto dim = wrapped_dim(call.integer(arg::dim), rank);
      const auto stride = static_cast<std::size_t>(contiguous_strides(sizes)[dim]);
      const auto length = static_cast<std::size_t>(sizes[dim]);
      // Each element adds the one before it along the dim, which already holds its own sum.
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i / stride % length > 0) values[i] = add(values[i - stride], values[i]);
      }
    }
    call.write(values);
  });
  return {};
}

constexpr std::array reduction_table = {
    KernelEntry{"aten.sum.default", reduce<Sum>},
    KernelEntry{"aten.sum.dim_IntList", reduce<Sum>},
    KernelEntry{"aten.prod.default", reduce<Product>},
    KernelEntry{"aten.prod.dim_int", reduce<Product>},
    KernelEntry{"aten.nansum.default", reduce<SumOfNumbers>},
    KernelEntry{"aten.amax.default", reduce<Largest>},
    KernelEntry{"aten.mean.default", mean},
    KernelEntry{"aten.mean.dim", mean},
    KernelEntry{"aten.linalg_vector_norm.default", vector_norm},
    KernelEntry{"aten.norm.Scalar", vector_norm},
    KernelEntry{"aten.norm.ScalarOpt_dtype", vector_norm},
    KernelEntry{"aten.norm.ScalarOpt_dim", vector_norm},
    KernelEntry{"aten.norm.ScalarOpt_dim_dtype", vector_norm},
    KernelEntry{"aten.cumsum.default", cumsum},
};

}  // namespace

std::span<const KernelEntry> reduction_kernels() { return reduction_table; }

}  // namespace parallax::portable
