// Elements looked up: by places in a lane or a table, by their order in a sorted row, and places that are made.
#include <algorithm>
#include <array>

#include "backends/portable/index_range.h"
#include "backends/portable/lane_access.h"

namespace parallax::portable {
namespace {

// The output's elements are those of `from` at row-major places.
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
Result<void> take_by(const KernelCall& call, arg index) {
  const TensorRef& self = call.input(arg::self);
  const int64_t size = self.layout->numel();
  Numbers<int64_t> places = call.read<int64_t>(index, DType::I64);
  for (int64_t& at : places) {
    if (at < -size || at >= size) return out_of_range(at, size);
    if (at < 0) at += size;
  }
  write_found(call, self, *self.layout, places);
  return {};
}
Result<void> take(const KernelCall& call) { return take_by(call, arg::index); }

// A gather whose operands broadcast in all other dims. Eager takes the remainder of what is out of range; without a dim
// both operands are one lane, and it refuses that.
Result<void> take_along_dim(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  const TensorRef& index = call.input(arg::indices);
  if (!call.has(arg::dim)) {
    for (int64_t at : call.read<int64_t>(index, *index.layout, DType::I64)) {
      if (at < 0) return out_of_range(at, self.layout->numel());
    }
    return take_by(call, arg::indices);
  }
  const Dims& sizes = call.output_sizes();
  const int dim = wrapped_dim(call.integer(arg::dim), sizes.size());
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
  const TensorRef& weight = call.input(arg::weight);
  const int64_t rows = weight.layout->sizes[0];
  const int64_t width = weight.layout->sizes[1];
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  for (int64_t row : call.read<int64_t>(arg::indices, DType::I64)) {
    if (row < 0 || row >= rows) return out_of_range(row, rows);
    for (int64_t i = 0; i < width; ++i) places.push_back(row * width + i);
  }
  write_found(call, weight, *weight.layout, places);
  return {};
}

// repeat_interleave(repeats): each place as often as its count says.
Result<void> repeat_places(const KernelCall& call) {
  const Numbers<int64_t> counts = call.read<int64_t>(arg::repeats, DType::I64);
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
  const auto repeats = static_cast<std::size_t>(call.integer(arg::repeats));
  const std::optional<int64_t> dim = call.has(arg::dim) ? std::optional(call.integer(arg::dim)) : std::nullopt;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Lanes<C> lanes = read_lanes<C>(call, call.input(arg::self), dim, dtype);
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

// searchsorted and bucketize, which calls the sorted row its boundaries.
Result<void> search_sorted(const KernelCall& call) {
  const TensorRef& sorted = call.input(call.takes(arg::boundaries) ? arg::boundaries : arg::sorted_sequence);
  const auto* number = std::get_if<Scalar>(&call.argument(arg::self));
  // A fraction among integers makes them floats.
  const bool fraction = number && is_floating(*number) && !is_floating(sorted.dtype);
  const DType common = fraction ? DType::F32
                       : number ? sorted.dtype
                                : promote(sorted.dtype, call.input(arg::self).dtype);
  const bool right = call.has(arg::side) ? call.text(arg::side) == "right" : call.boolean(arg::right);
  Numbers<int64_t> order = call.numbers<int64_t>(0);
  if (call.has(arg::sorter)) order = call.read<int64_t>(arg::sorter, DType::I64);
  const int64_t length = sorted.layout->rank() == 0 ? 1 : sorted.layout->sizes.back();
  for (int64_t place : order) {
    if (place < 0 || place >= length) return out_of_range(place, length);
  }
  Numbers<int64_t> ranks = call.numbers<int64_t>(0);
  with_compute_type(common, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> rows = call.read<C>(sorted, *sorted.layout, common);
    Numbers<C> numbers = call.numbers<C>(1);
    if (number) {
      numbers[0] = call.number<C>(arg::self, common);
    } else {
      numbers = call.read<C>(arg::self, common);
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

// The places of what is not 0, one row after the other, and how many rows these are.
std::size_t append_nonzero(const KernelCall& call, Numbers<int64_t>& places) {
  const TensorRef& self = call.input(arg::self);
  const Dims& sizes = self.layout->sizes;
  const Dims strides = contiguous_strides(sizes);
  std::size_t rows = 0;
  with_compute_type(self.dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> values = call.read<C>(self, *self.layout, self.dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == C(0)) continue;
      ++rows;
      for (int d = 0; d < sizes.size(); ++d) places.push_back(static_cast<int64_t>(i) / strides[d] % sizes[d]);
    }
  });
  return rows;
}

// nonzero_static: as many rows as the call says; those that are left get a number of their own.
Result<void> nonzero_static(const KernelCall& call) {
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  append_nonzero(call, places);
  places.resize(static_cast<std::size_t>(call.output().layout->numel()), call.integer(arg::fill_value));
  call.write(places);
  return {};
}

// What the data make of a size that the program was resized to.
Result<void> check_count(const KernelCall& call, std::size_t found) {
  const auto planned = static_cast<std::size_t>(call.output().layout->sizes[0]);
  if (found == planned) return {};
  return refuse("there are {} and not {}", found, planned);
}

// nonzero: a row for each.
Result<void> nonzero(const KernelCall& call) {
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  TRY_VOID(check_count(call, append_nonzero(call, places)));
  call.write(places);
  return {};
}

// masked_select: the elements where the mask is true.
Result<void> masked_select(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  const TensorRef& mask = call.input(arg::mask);
  const Dims sizes = *broadcast_sizes(self.layout->sizes, mask.layout->sizes);
  const Numbers<int64_t> flags = call.broadcast<int64_t>(mask, sizes, DType::Bool);
  Numbers<int64_t> places = call.numbers<int64_t>(0);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0) places.push_back(static_cast<int64_t>(i));
  }
  TRY_VOID(check_count(call, places.size()));
  write_found(call, self, *broadcast_to(*self.layout, sizes), places);
  return {};
}

// The rows and columns on and below a diagonal, or on and above it.
template <bool below>
Result<void> triangle_places(const KernelCall& call) {
  const int64_t rows = call.integer(arg::row);
  const int64_t columns = call.integer(arg::col);
  const int64_t offset = call.integer(arg::offset);
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
  const int64_t offset = call.integer(arg::offset);
  Layout diagonal = *call.output().layout;
  const int first = wrapped_dim(call.integer(arg::dim1), diagonal.rank());
  const int second = wrapped_dim(call.integer(arg::dim2), diagonal.rank());
  const int64_t stride = diagonal.strides[first] + diagonal.strides[second];
  diagonal.offset += offset >= 0 ? offset * diagonal.strides[second] : -offset * diagonal.strides[first];
  for (int dim : {std::max(first, second), std::min(first, second)}) {
    diagonal.sizes.erase(dim);
    diagonal.strides.erase(dim);
  }
  diagonal.sizes.push_back(call.input(arg::self).layout->sizes.back());
  diagonal.strides.push_back(stride);
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    call.write(call.numbers<C>(call.output().layout->numel()));
    write_elements(call.output(), diagonal, call.read<C>(arg::self, dtype).data());
  });
  return {};
}

constexpr std::array lookup_table = {
    KernelEntry{"aten.take.default", take},
    KernelEntry{"aten.take_along_dim.default", take_along_dim},
    KernelEntry{"aten.embedding.default", embedding},
    KernelEntry{"aten.repeat_interleave.Tensor", repeat_places},
    KernelEntry{"aten.repeat_interleave.self_int", repeat_elements},
    KernelEntry{"aten.searchsorted.Tensor", search_sorted},
    KernelEntry{"aten.searchsorted.Scalar", search_sorted},
    KernelEntry{"aten.bucketize.Tensor", search_sorted},
    KernelEntry{"aten.bucketize.Scalar", search_sorted},
    KernelEntry{"aten.nonzero_static.default", nonzero_static},
    KernelEntry{"aten.nonzero.default", nonzero},
    KernelEntry{"aten.masked_select.default", masked_select},
    KernelEntry{"aten.tril_indices.default", triangle_places<true>},
    KernelEntry{"aten.triu_indices.default", triangle_places<false>},
    KernelEntry{"aten.diag_embed.default", diag_embed},
};

}  // namespace

std::span<const KernelEntry> lookup_kernels() { return lookup_table; }

}  // namespace parallax::portable
