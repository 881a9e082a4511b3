// Elements put, added or otherwise combined where an index says: each kernel lists which element of a source goes to
// which place of the operand, and one loop combines them. Sums are carried in the compute type and rounded at the end.
#include <algorithm>
#include <array>

#include "backends/portable/index_range.h"
#include "backends/portable/lane_access.h"

namespace parallax::portable {
namespace {

enum class Combine : uint8_t { Put, Add, Multiply, Mean, Largest, Smallest };

Combine named(const std::string& reduce) {
  if (reduce == "add" || reduce == "sum") return Combine::Add;
  if (reduce == "multiply" || reduce == "prod") return Combine::Multiply;
  if (reduce == "mean") return Combine::Mean;
  return reduce == "amax" ? Combine::Largest : Combine::Smallest;
}

template <class C>
C combined(Combine how, C a, C b) {
  switch (how) {
    case Combine::Put:
      return b;
    case Combine::Multiply:
      return multiply(a, b);
    case Combine::Largest:
      return is_below(a, b) ? b : a;
    case Combine::Smallest:
      return b != b || (a == a && b < a) ? b : a;
    default:
      return add(a, b);
  }
}

// Integers are divided as they are by floor_divide.
template <class C>
C divided(C sum, int64_t count) {
  if constexpr (std::is_integral_v<C>) {
    return sum / count - (sum % count != 0 && sum < 0);
  } else {
    return sum / static_cast<C>(count);
  }
}

// The operand with source element i combined into its row-major place targets[i], for each i. Without `include_self`
// the first source element takes the place of what was there. `source` is read in the output's dtype.
template <class C>
void write_combined(const KernelCall& call, Combine how, bool include_self, const Numbers<int64_t>& targets,
                    const Numbers<C>& source) {
  const DType dtype = call.output().dtype;
  Numbers<C> values = call.operand<C>(arg::self, dtype);
  Numbers<int64_t> counts = call.numbers<int64_t>(static_cast<int64_t>(values.size()));
  std::ranges::fill(counts, include_self ? 1 : 0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto at = static_cast<std::size_t>(targets[i]);
    values[at] = counts[at]++ == 0 ? source[i] : combined(how, values[at], source[i]);
  }
  if (how == Combine::Mean) {
    // An integer sum wraps before it is divided.
    const auto sum = [&](C x) { return std::is_integral_v<C> ? rounded_to(call.output().dtype, x) : x; };
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = divided(sum(values[i]), std::max<int64_t>(counts[i], 1));
  }
  call.write(values);
}

// A layout with every dim of a 0-d one given as one of size 1.
Layout at_least_1d(Layout layout) {
  if (layout.rank() == 0) return {{1}, {1}, layout.offset};
  return layout;
}

// scatter: index element i goes to its own place in the operand, but for the dim that its value decides.
Result<Numbers<int64_t>> scattered_places(const KernelCall& call) {
  const TensorRef& index = call.input(arg::index);
  const Layout self = at_least_1d(contiguous_layout(call.output_sizes()));
  Layout places = at_least_1d(*index.layout);
  const int dim = wrapped_dim(call.integer(arg::dim), self.rank());
  Numbers<int64_t> targets = call.read<int64_t>(arg::index, DType::I64);
  if (targets.empty()) return targets;
  for (int64_t at : targets) {
    if (at < 0 || at >= self.sizes[dim]) return out_of_range(at, self.sizes[dim]);
  }
  places.offset = 0;
  for (int d = 0; d < places.rank(); ++d) places.strides[d] = d == dim ? 0 : self.strides[d];
  std::size_t next = 0;
  for_each_element(places, [&](int64_t place) {
    targets[next] = place + targets[next] * self.strides[dim];
    ++next;
  });
  return targets;
}

// Of the source's elements those that the index, which may be smaller, has a place for.
Layout seen_by_index(const KernelCall& call) {
  Layout source = *call.input(arg::src).layout;
  const Dims& sizes = call.input(arg::index).layout->sizes;
  if (source.rank() == sizes.size()) {
    source.sizes = sizes;
    return source;
  }
  return sizes.empty() ? Layout{{}, {}, source.offset} : Layout{sizes, Dims::filled(sizes.size(), 0), source.offset};
}

Result<void> scatter_with(const KernelCall& call, Combine how, bool include_self) {
  const DType dtype = call.output().dtype;
  TRY(const Numbers<int64_t> targets, scattered_places(call));
  return with_compute_type(dtype, [&]<class C>(std::type_identity<C>) -> Result<void> {
    Numbers<C> source = call.numbers<C>(0);
    if (call.takes(arg::value)) {
      source.assign(targets.size(), call.number<C>(arg::value, dtype));
    } else if (!targets.empty()) {
      source = call.read<C>(call.input(arg::src), seen_by_index(call), dtype);
    }
    write_combined(call, how, include_self, targets, source);
    return {};
  });
}

Result<void> scatter(const KernelCall& call) { return scatter_with(call, Combine::Put, true); }
Result<void> scatter_add(const KernelCall& call) { return scatter_with(call, Combine::Add, true); }
Result<void> scatter_reduce(const KernelCall& call) {
  const bool include_self = !call.takes(arg::include_self) || call.boolean(arg::include_self);
  return scatter_with(call, named(call.text(arg::reduce)), include_self);
}

// index_add and its kin: slice k of the source along the dim goes to the slice that element k of the index names, which
// index_fill alone may count from the end.
Result<Numbers<int64_t>> slice_places(const KernelCall& call, const Dims& source_sizes, bool from_end) {
  Numbers<int64_t> slices = call.read<int64_t>(arg::index, DType::I64);
  const Layout self = at_least_1d(contiguous_layout(call.output_sizes()));
  const Layout source = at_least_1d(contiguous_layout(source_sizes));
  const int dim = wrapped_dim(call.integer(arg::dim), self.rank());
  Numbers<int64_t> targets = call.numbers<int64_t>(0);
  if (self.numel() == 0) return targets;  // eager looks at no index there
  for (int64_t& slice : slices) {
    const int64_t lowest = from_end ? -self.sizes[dim] : 0;
    if (slice < lowest || slice >= self.sizes[dim]) return out_of_range(slice, self.sizes[dim]);
    if (slice < 0) slice += self.sizes[dim];
  }
  Layout places{source.sizes, self.strides, 0};
  places.strides[dim] = 0;
  std::size_t next = 0;
  for_each_element(places, [&](int64_t place) {
    const auto k = static_cast<int64_t>(next++) / source.strides[dim] % source.sizes[dim];
    targets.push_back(place + slices[static_cast<std::size_t>(k)] * self.strides[dim]);
  });
  return targets;
}

Result<void> index_with(const KernelCall& call, Combine how, bool include_self) {
  const DType dtype = call.output().dtype;
  TRY(const Numbers<int64_t> targets, slice_places(call, call.input(arg::source).layout->sizes, false));
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> source = call.read<C>(arg::source, dtype);
    if (call.takes(arg::alpha)) {
      const C factor = call.alpha<C>();
      for (C& x : source) x = multiply(factor, x);
    }
    write_combined(call, how, include_self, targets, source);
  });
  return {};
}

Result<void> index_add(const KernelCall& call) { return index_with(call, Combine::Add, true); }
Result<void> index_copy(const KernelCall& call) { return index_with(call, Combine::Put, true); }
Result<void> index_reduce(const KernelCall& call) {
  return index_with(call, named(call.text(arg::reduce)), call.boolean(arg::include_self));
}

// Every slice that the index names, filled with one number.
Result<void> index_fill(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  Dims sizes = at_least_1d(contiguous_layout(call.output_sizes())).sizes;
  sizes[wrapped_dim(call.integer(arg::dim), sizes.size())] = call.input(arg::index).layout->numel();
  TRY(const Numbers<int64_t> targets, slice_places(call, sizes, true));
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const C number =
        call.is_tensor(arg::value) ? call.read<C>(arg::value, dtype).front() : call.number<C>(arg::value, dtype);
    Numbers<C> source = call.numbers<C>(0);
    source.assign(targets.size(), number);
    write_combined(call, Combine::Put, true, targets, source);
  });
  return {};
}

// put: the operand counted as one lane, whatever its shape.
Result<void> put(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t size = call.output().layout->numel();
  Numbers<int64_t> targets = call.read<int64_t>(arg::index, DType::I64);
  for (int64_t& at : targets) {
    if (at < -size || at >= size) return out_of_range(at, size);
    if (at < 0) at += size;
  }
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> source = call.read<C>(arg::source, dtype);
    write_combined(call, call.boolean(arg::accumulate) ? Combine::Add : Combine::Put, true, targets, source);
  });
  return {};
}

// The places that the mask has, in order, take the source's elements, in order.
Result<void> masked_scatter(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> flags = call.operand<int64_t>(arg::mask, DType::Bool);
  Numbers<int64_t> targets = call.numbers<int64_t>(0);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) targets.push_back(static_cast<int64_t>(i));
  }
  const int64_t given = call.input(arg::source).layout->numel();
  if (given < static_cast<int64_t>(targets.size())) {
    return refuse("{} elements for a mask that has {} places", given, targets.size());
  }
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> source = call.read<C>(arg::source, dtype);
    write_combined(call, Combine::Put, true, targets, source);
  });
  return {};
}

constexpr std::array scatter_table = {
    KernelEntry{"aten.scatter.src", scatter},
    KernelEntry{"aten.scatter.value", scatter},
    KernelEntry{"aten.scatter.reduce", scatter_reduce},
    KernelEntry{"aten.scatter.value_reduce", scatter_reduce},
    KernelEntry{"aten.scatter_add.default", scatter_add},
    KernelEntry{"aten.scatter_reduce.two", scatter_reduce},
    KernelEntry{"aten.index_add.default", index_add},
    KernelEntry{"aten.index_copy.default", index_copy},
    KernelEntry{"aten.index_reduce.default", index_reduce},
    KernelEntry{"aten.index_fill.int_Scalar", index_fill},
    KernelEntry{"aten.index_fill.int_Tensor", index_fill},
    KernelEntry{"aten.put.default", put},
    KernelEntry{"aten.masked_scatter.default", masked_scatter},
};

}  // namespace

std::span<const KernelEntry> scatter_kernels() { return scatter_table; }

}  // namespace parallax::portable
