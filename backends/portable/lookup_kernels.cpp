// Elements looked up: by places in a lane or a table, by their order in a sorted row, and places that are made.
#include <algorithm>
#include <array>

#include "backends/portable/lane_access.h"

namespace parallax::portable {
namespace {

std::unexpected<Error> out_of_range(int64_t index, int64_t size) {
  return refuse("index {} is out of range for a dim of size {}", index, size);
}

// The output's elements are those of operand 0 at row-major places.
void write_found(const KernelCall& call, const TensorRef& from, const Layout& layout, const Numbers<int64_t>& places) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(from, layout, dtype);
    Numbers<C> found = call.numbers<C>(0);
    for (int64_t place : places) found.push_back(values[static_cast<std::size_t>(place)]);
    call.write(found);
  });
}

// take: the operand counted as one lane.
Result<void> take(const KernelCall& call) {
  const TensorRef& index = call.input(1);
  const int64_t size = call.input(0).layout->numel();
  Numbers<int64_t> places = call.read<int64_t>(index, *index.layout, DType::I64);
  for (int64_t& at : places) {
    if (at < -size || at >= size) return out_of_range(at, size);
    if (at < 0) at += size;
  }
  write_found(call, call.input(0), *call.input(0).layout, places);
  return {};
}

// A gather whose operands broadcast in all other dims. Eager takes the remainder of what is out of range; without a dim
// both operands are one lane, and it refuses that.
Result<void> take_along_dim(const KernelCall& call) {
  const TensorRef& self = call.input(0);
  const TensorRef& index = call.input(1);
  if (!call.has(2)) {
    for (int64_t at : call.read<int64_t>(index, *index.layout, DType::I64)) {
      if (at < 0) return out_of_range(at, self.layout->numel());
    }
    return take(call);
  }
  const Dims& sizes = call.output_sizes();
  const int dim = wrapped_dim(call.integer(2), sizes.size());
  const int64_t size = self.layout->sizes[dim];
  Dims self_sizes = sizes;
  self_sizes[dim] = size;
  const Layout shown = *broadcast_to(*self.layout, self_sizes);
  Numbers<int64_t> places = call.read<int64_t>(index, *broadcast_to(*index.layout, sizes), DType::I64);
  Layout firsts{sizes, contiguous_strides(self_sizes), 0};
  const int64_t stride = firsts.strides[dim];
  firsts.strides[dim] = 0;
  std::size_t next = 0;
  for_each_element(firsts, [&](int64_t first) {
    const int64_t rest = places[next] % size;
    places[next] = first + (rest < 0 ? rest + size : rest) * stride;
    ++next;
  });
  write_found(call, self, shown, places);
  return {};
}

// Rows of a table.
Result<void> embedding(const KernelCall& call) {
  const TensorRef& weight = call.input(0);
  const TensorRef& indices = call.input(1);
  const int64_t rows = weight.layout->sizes[0];
  const int64_t width = weight.layout->sizes[1];
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  for (int64_t row : call.read<int64_t>(indices, *indices.layout, DType::I64)) {
    if (row < 0 || row >= rows) return out_of_range(row, rows);
    for (int64_t i = 0; i < width; ++i) places.push_back(row * width + i);
  }
  write_found(call, weight, *weight.layout, places);
  return {};
}

// repeat_interleave(repeats): each place as often as its count says.
Result<void> repeat_places(const KernelCall& call) {
  const TensorRef& repeats = call.input(0);
  const Numbers<int64_t> counts = call.read<int64_t>(repeats, *repeats.layout, DType::I64);
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) return refuse("{} repeats", counts[i]);
    places.insert(places.end(), static_cast<std::size_t>(counts[i]), static_cast<int64_t>(i));
  }
  const int64_t expected = call.output().layout->numel();
  if (static_cast<int64_t>(places.size()) != expected) {
    return refuse("the repeats come to {}, not to {}", places.size(), expected);
  }
  call.write(places);
  return {};
}

// repeat_interleave(self, repeats, dim): each element so many times, along a dim or in one lane.
Result<void> repeat_elements(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const auto repeats = static_cast<std::size_t>(call.integer(1));
  const std::optional<int64_t> dim = call.has(2) ? std::optional(call.integer(2)) : std::nullopt;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Lanes<C> lanes = read_lanes<C>(call, call.input(0), dim, dtype);
    Numbers<C> repeated = call.numbers<C>(0);
    for (C x : lanes.values) repeated.insert(repeated.end(), repeats, x);
    write_lanes(call, repeated, dim.value_or(0));
  });
  return {};
}

// How many elements of a sorted row stand before a number: those below it or, to the right, those not above it.
template <class C>
int64_t rank_in(std::span<const C> row, std::span<const int64_t> order, C number, bool right) {
  int64_t first = 0;
  auto end = static_cast<int64_t>(row.size());
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    const C x = row[static_cast<std::size_t>(order.empty() ? middle : order[static_cast<std::size_t>(middle)])];
    const bool stops = right ? x > number : x >= number;
    (stops ? end : first) = stops ? middle : middle + 1;
  }
  return first;
}

// Where the arguments of an overload stand; -1 for what it does not have.
struct Search {
  int rows = 0;
  int numbers = 1;
  int right = 3;
  int side = -1;
  int sorter = -1;
};

template <Search at>
Result<void> search_sorted(const KernelCall& call) {
  const TensorRef& sorted = call.input(at.rows);
  const auto* number = std::get_if<Scalar>(&call.arguments()[at.numbers]);
  // A fraction among integers makes them floats.
  const bool fraction = number && is_floating(*number) && !is_floating(sorted.dtype);
  const DType common = fraction ? DType::F32
                       : number ? sorted.dtype
                                : promote(sorted.dtype, call.input(at.numbers).dtype);
  bool right = call.boolean(at.right);
  if (at.side >= 0 && call.has(at.side)) right = std::get<std::string>(call.arguments()[at.side]) == "right";
  Numbers<int64_t> order = call.numbers<int64_t>(0);
  if (at.sorter >= 0 && call.has(at.sorter)) {
    const TensorRef& sorter = call.input(at.sorter);
    order = call.read<int64_t>(sorter, *sorter.layout, DType::I64);
  }
  const int64_t length = sorted.layout->rank() == 0 ? 1 : sorted.layout->sizes.back();
  for (int64_t place : order) {
    if (place < 0 || place >= length) return out_of_range(place, length);
  }
  Numbers<int64_t> ranks = call.numbers<int64_t>(0);
  with_compute_type(common, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> rows = call.read<C>(sorted, *sorted.layout, common);
    Numbers<C> numbers = call.numbers<C>(1);
    if (number) {
      numbers[0] = rounded_to(common, call.number<C>(at.numbers));
    } else {
      numbers = call.read<C>(call.input(at.numbers), *call.input(at.numbers).layout, common);
    }
    const auto size = static_cast<std::size_t>(length);
    const std::size_t row_count = size == 0 ? 1 : std::max<std::size_t>(rows.size() / size, 1);
    const std::size_t numbers_of_row = std::max<std::size_t>(numbers.size() / row_count, 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t first = row_count == 1 ? 0 : i / numbers_of_row * size;
      const auto row_order =
          order.empty() ? std::span<const int64_t>() : std::span<const int64_t>(order).subspan(first, size);
      ranks.push_back(rank_in<C>(std::span<const C>(rows).subspan(first, size), row_order, numbers[i], right));
    }
  });
  call.write(ranks);
  return {};
}

// The places of what is not 0, one row each; the rows that are left get a number of their own.
Result<void> nonzero_static(const KernelCall& call) {
  const TensorRef& self = call.input(0);
  const Dims& sizes = self.layout->sizes;
  const Dims strides = contiguous_strides(sizes);
  const auto rank = static_cast<std::size_t>(sizes.size());
  Numbers<int64_t> places = call.numbers<int64_t>(call.output().layout->numel());
  std::ranges::fill(places, call.integer(2));
  with_compute_type(self.dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(self, *self.layout, self.dtype);
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size() && next + rank <= places.size(); ++i) {
      if (values[i] == C(0)) continue;
      for (int d = 0; d < sizes.size(); ++d) places[next++] = static_cast<int64_t>(i) / strides[d] % sizes[d];
    }
  });
  call.write(places);
  return {};
}

// The rows and columns on and below a diagonal, or on and above it.
template <bool below>
Result<void> triangle_places(const KernelCall& call) {
  const int64_t rows = call.integer(0);
  const int64_t columns = call.integer(1);
  const int64_t offset = call.integer(2);
  Numbers<int64_t> places = call.numbers<int64_t>(call.output().layout->numel());
  const std::size_t count = places.size() / 2;
  std::size_t next = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = below ? 0 : std::clamp<int64_t>(row + offset, 0, columns);
    const int64_t end = below ? std::clamp<int64_t>(row + offset + 1, 0, columns) : columns;
    for (int64_t column = first; column < end; ++column, ++next) {
      places[next] = row;
      places[count + next] = column;
    }
  }
  call.write(places);
  return {};
}

// The operand's last dim as a diagonal of two dims that are 0 elsewhere.
Result<void> diag_embed(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t offset = call.integer(1);
  Layout diagonal = *call.output().layout;
  const int first = wrapped_dim(call.integer(2), diagonal.rank());
  const int second = wrapped_dim(call.integer(3), diagonal.rank());
  const int64_t stride = diagonal.strides[first] + diagonal.strides[second];
  diagonal.offset += offset >= 0 ? offset * diagonal.strides[second] : -offset * diagonal.strides[first];
  for (int dim : {std::max(first, second), std::min(first, second)}) {
    diagonal.sizes.erase(dim);
    diagonal.strides.erase(dim);
  }
  diagonal.sizes.push_back(call.input(0).layout->sizes.back());
  diagonal.strides.push_back(stride);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    call.write(call.numbers<C>(call.output().layout->numel()));
    write_elements(call.output(), diagonal, call.read<C>(call.input(0), *call.input(0).layout, dtype).data());
  });
  return {};
}

constexpr Search searched = {.side = 4, .sorter = 5};
constexpr Search bucketed = {.rows = 1, .numbers = 0};

constexpr std::array table = {
    KernelEntry{"aten.take.default", take},
    KernelEntry{"aten.take_along_dim.default", take_along_dim},
    KernelEntry{"aten.embedding.default", embedding},
    KernelEntry{"aten.repeat_interleave.Tensor", repeat_places},
    KernelEntry{"aten.repeat_interleave.self_int", repeat_elements},
    KernelEntry{"aten.searchsorted.Tensor", search_sorted<searched>},
    KernelEntry{"aten.searchsorted.Scalar", search_sorted<searched>},
    KernelEntry{"aten.bucketize.Tensor", search_sorted<bucketed>},
    KernelEntry{"aten.bucketize.Scalar", search_sorted<bucketed>},
    KernelEntry{"aten.nonzero_static.default", nonzero_static},
    KernelEntry{"aten.tril_indices.default", triangle_places<true>},
    KernelEntry{"aten.triu_indices.default", triangle_places<false>},
    KernelEntry{"aten.diag_embed.default", diag_embed},
};

}  // namespace

std::span<const KernelEntry> lookup_kernels() { return table; }

}  // namespace parallax::portable
