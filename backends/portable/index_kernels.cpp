// Elements chosen by the values of other tensors.
#include <array>

#include "backends/portable/index_range.h"
#include "backends/portable/kernel.h"

namespace parallax::portable {
namespace {

// The index list of one dim, as the case gave it or as a mask's true places along that dim.
struct DimIndex {
  int dim;
  Dims sizes;
  Numbers<int64_t> values;  // row-major, already checked and counted from the front
};

// A mask over several dims says where it is true: one list of places for each of its dims.
void add_mask(const KernelCall& call, const TensorRef& mask, int dim, std::vector<DimIndex>& lists) {
  const Dims& sizes = mask.layout->sizes;
  const Numbers<int64_t> flags = call.read<int64_t>(mask, *mask.layout, DType::Bool);
  const Dims strides = contiguous_strides(sizes);
  for (int d = 0; d < sizes.size(); ++d) {
    DimIndex list{dim + d, {}, call.numbers<int64_t>(0)};
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) list.values.push_back(static_cast<int64_t>(i) / strides[d] % sizes[d]);
    }
    list.sizes.push_back(static_cast<int64_t>(list.values.size()));
    lists.push_back(std::move(list));
  }
}

// The lists of an indexing expression over a tensor of these sizes; dims that none names are taken whole.
Result<std::vector<DimIndex>> index_lists(const KernelCall& call, const ValueList& indices, const Dims& sizes) {
  std::vector<DimIndex> lists;
  int dim = 0;
  for (ValueId value : indices) {
    if (!value.valid()) {
      ++dim;
      continue;
    }
    const TensorRef& index = call.ref(value);
    if (index.dtype == DType::Bool || index.dtype == DType::U8) {
      add_mask(call, index, dim, lists);
      dim += index.layout->rank();
      continue;
    }
    DimIndex list{dim, index.layout->sizes, call.read<int64_t>(index, *index.layout, DType::I64)};
    for (int64_t& at : list.values) {
      const bool is_outside = at < -sizes[dim] || at >= sizes[dim];
      // Eager raises where it reads or writes an element.
      if (is_outside && call.output().layout->numel() > 0) return out_of_range(at, sizes[dim]);
      if (at < 0) at += sizes[dim];
    }
    lists.push_back(std::move(list));
    ++dim;
  }
  return lists;
}

// What an indexing expression selects: elements of the storage, in the row-major order of a tensor of `sizes`.
struct Selection {
  Dims sizes;
  std::vector<int64_t> elements;
};

// The offset that the lists together give to each place of their common shape.
Result<std::vector<int64_t>> list_offsets(const std::vector<DimIndex>& lists, const Layout& self, Dims& common) {
  for (const DimIndex& list : lists) {
    const std::optional<Dims> wider = broadcast_sizes(common, list.sizes);
    if (!wider)
      return refuse("index tensors of shapes [{}] and [{}] do not fit", to_string(common), to_string(list.sizes));
    common = *wider;
  }
  std::vector<int64_t> offsets(static_cast<std::size_t>(contiguous_layout(common).numel()), 0);
  for (const DimIndex& list : lists) {
    std::size_t next = 0;
    for_each_element(*broadcast_to(contiguous_layout(list.sizes), common), [&](int64_t i) {
      offsets[next++] += list.values[static_cast<std::size_t>(i)] * self.strides[list.dim];
    });
  }
  return offsets;
}

Result<Selection> select(const KernelCall& call, const ValueList& indices, const Layout& self) {
  TRY(const std::vector<DimIndex> lists, index_lists(call, indices, self.sizes));
  Dims common;
  TRY(const std::vector<int64_t> offsets, list_offsets(lists, self, common));
  std::array<bool, max_rank> indexed{};
  for (const DimIndex& list : lists) indexed[static_cast<std::size_t>(list.dim)] = true;
  // The lists' shape stands where their dims stood if those are neighbours, else in front.
  const bool neighbours = lists.empty() || lists.back().dim - lists.front().dim + 1 == static_cast<int>(lists.size());
  const int front = neighbours && !lists.empty() ? lists.front().dim : 0;
  Layout before{{}, {}, self.offset};
  Layout after;
  for (int dim = 0; dim < self.rank(); ++dim) {
    if (indexed[static_cast<std::size_t>(dim)]) continue;
    Layout& part = dim < front ? before : after;
    part.sizes.push_back(self.sizes[dim]);
    part.strides.push_back(self.strides[dim]);
  }
  Selection selection{before.sizes, {}};
  for (int64_t size : common) selection.sizes.push_back(size);
  for (int64_t size : after.sizes) selection.sizes.push_back(size);
  for_each_element(before, [&](int64_t outer) {
    for (int64_t offset : offsets) {
      for_each_element(after, [&](int64_t inner) { selection.elements.push_back(outer + offset + inner); });
    }
  });
  return selection;
}

Result<void> index(const KernelCall& call) {
  TRY(const Selection selection,
      select(call, call.values(arg::indices), contiguous_layout(call.input(arg::self).layout->sizes)));
  if (selection.sizes != call.output_sizes()) {
    return refuse("the mask selects a shape of [{}] and not [{}]", to_string(selection.sizes),
                  to_string(call.output_sizes()));
  }
  with_compute_type(call.output().dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> self = call.read<C>(arg::self, call.output().dtype);
    Numbers<C> values = call.numbers<C>(0);
    for (int64_t element : selection.elements) values.push_back(self[static_cast<std::size_t>(element)]);
    call.write(values);
  });
  return {};
}

Result<void> index_put(const KernelCall& call) {
  TRY(const Selection selection, select(call, call.values(arg::indices), contiguous_layout(call.output_sizes())));
  const DType dtype = call.output().dtype;
  const bool accumulate = call.boolean(arg::accumulate);
  if (!broadcast_to(*call.input(arg::values).layout, selection.sizes)) {
    return refuse("values of shape [{}] do not fit a selection of shape [{}]",
                  to_string(call.input(arg::values).layout->sizes), to_string(selection.sizes));
  }
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    Numbers<C> self = call.operand<C>(arg::self, dtype);
    const Numbers<C> values = call.broadcast<C>(call.input(arg::values), selection.sizes, dtype);
    for (std::size_t i = 0; i < values.size(); ++i) {
      C& at = self[static_cast<std::size_t>(selection.elements[i])];
      // Rounded each time: eager adds in the tensor's own memory.
      at = accumulate ? rounded_to(dtype, add(at, values[i])) : values[i];
    }
    call.write(self);
  });
  return {};
}

Result<void> index_select(const KernelCall& call) {
  const TensorRef& input = call.input(arg::self);
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> index = call.read<int64_t>(arg::index, DType::I64);
  const int rank = input.layout->rank();
  const int64_t size = rank == 0 ? 1 : input.layout->sizes[wrapped_dim(call.integer(arg::dim), rank)];
  Layout to = *call.output().layout;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] < 0 || index[k] >= size) return out_of_range(index[k], size);
    Layout from = *input.layout;
    Layout part = to;
    if (rank > 0) {
      const int dim = wrapped_dim(call.integer(arg::dim), rank);
      from.offset += index[k] * from.strides[dim];
      from.sizes[dim] = 1;
      part.offset += static_cast<int64_t>(k) * part.strides[dim];
      part.sizes[dim] = 1;
    }
    with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
      write_elements(call.output(), part, call.read<C>(input, from, dtype).data());
    });
  }
  return {};
}

Result<void> gather_along_dim(const KernelCall& call) {
  const TensorRef& input = call.input(arg::self);
  const TensorRef& index = call.input(arg::index);
  const DType dtype = call.output().dtype;
  const Numbers<int64_t> at = call.read<int64_t>(arg::index, DType::I64);
  const int rank = input.layout->rank();
  const int dim = wrapped_dim(call.integer(arg::dim), rank);
  const Layout whole = contiguous_layout(input.layout->sizes);
  const int64_t size = rank == 0 ? 1 : whole.sizes[dim];
  const int64_t stride = rank == 0 ? 0 : whole.strides[dim];
  for (int64_t i : at) {
    if (i < 0 || i >= size) return out_of_range(i, size);
  }
  // Where each element of the index looks, but for the dim that its value decides. A 0-d operand is looked at as 1-d.
  Layout places{index.layout->sizes, Dims::filled(index.layout->rank(), 0), 0};
  for (int d = 0; d < std::min(rank, places.rank()); ++d) places.strides[d] = d == dim ? 0 : whole.strides[d];
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const Numbers<C> self = call.read<C>(arg::self, dtype);
    Numbers<C> values = call.numbers<C>(static_cast<int64_t>(at.size()));
    std::size_t next = 0;
    for_each_element(places, [&](int64_t place) {
      values[next] = self[static_cast<std::size_t>(place + at[next] * stride)];
      ++next;
    });
    call.write(values);
  });
  return {};
}

constexpr std::array index_table = {
    KernelEntry{"aten.index.Tensor", index},
    KernelEntry{"aten.index_put.default", index_put},
    KernelEntry{"aten.index_select.default", index_select},
    KernelEntry{"aten.gather.default", gather_along_dim},
};

}  // namespace

std::span<const KernelEntry> index_kernels() { return index_table; }

}  // namespace parallax::portable
