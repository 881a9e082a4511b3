// Elements chosen by the values of other tensors.
#include <algorithm>

#include "backends/vulkan/device_indexed.h"
#include "backends/vulkan/device_masks.h"

namespace parallax::vulkan {
namespace {

// Elements of the operand, along `dim` from where the index says, whose element for each of the result `places` shows.
void gather_from(const KernelCall& call, const Layout& from, int dim, const Layout& places, const Layout& to) {
  record_indexed(call, {Direction::Gathers,
                        to.sizes,
                        call.input(arg::self),
                        call.output(),
                        along(from, dim),
                        to,
                        {{call.input(arg::index), places, from.sizes[dim], from.strides[dim]}}});
}

// gather(self, dim, index)
Result<void> gather(const KernelCall& call) {
  const Layout from = at_least_1d(*call.input(arg::self).layout);
  const Layout places = at_least_1d(*call.input(arg::index).layout);
  const Layout to = at_least_1d(*call.output().layout);
  const int dim = portable::wrapped_dim(call.integer(arg::dim), from.rank());
  gather_from(call, from, dim, places, to);
  return {};
}

// index_select(self, dim, index): the index goes along the dim only.
Result<void> index_select(const KernelCall& call) {
  const Layout& index = *call.input(arg::index).layout;
  const Layout from = at_least_1d(*call.input(arg::self).layout);
  const Layout to = at_least_1d(*call.output().layout);
  const int dim = portable::wrapped_dim(call.integer(arg::dim), from.rank());
  Layout places{to.sizes, Dims::filled(to.rank(), 0), index.offset};
  if (index.rank() > 0) places.strides[dim] = index.strides[0];
  gather_from(call, from, dim, places, to);
  return {};
}

// take(self, index): the operand counted as one row. Nothing is taken out of an empty one.
Result<void> take_out_of_row(const KernelCall& call, const TensorRef& index, IndexRange range) {
  const Layout& to = *call.output().layout;
  if (to.numel() == 0) return {};
  Layout row;
  TRY(const TensorRef self, in_one_row(call, call.input(arg::self), row));
  const Layout from{index.layout->sizes, Dims::filled(index.layout->rank(), 0), row.offset};
  // take_along_dim of all dims has its result in one row.
  const Layout target = to.rank() == from.rank() ? to : Layout{from.sizes, contiguous_strides(from.sizes), to.offset};
  record_indexed(call, {Direction::Gathers,
                        from.sizes,
                        self,
                        call.output(),
                        from,
                        target,
                        {{index, *index.layout, row.sizes[0], 1, range}}});
  return {};
}

Result<void> take(const KernelCall& call) {
  return take_out_of_row(call, call.input(arg::index), IndexRange::FromEitherEnd);
}

// take_along_dim(self, indices, dim): a gather whose operands broadcast in all other dims. Eager takes the remainder of
// what is out of range, but refuses it without a dim.
Result<void> take_along_dim(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  const TensorRef& index = call.input(arg::indices);
  if (!call.has(arg::dim)) return take_out_of_row(call, index, IndexRange::FromStart);
  const Layout& to = *call.output().layout;
  const int dim = portable::wrapped_dim(call.integer(arg::dim), to.rank());
  Dims sizes = to.sizes;
  sizes[dim] = self.layout->sizes[dim];
  Layout from = along(*broadcast_to(*self.layout, sizes), dim);
  from.sizes = to.sizes;
  record_indexed(call, {Direction::Gathers,
                        to.sizes,
                        self,
                        call.output(),
                        from,
                        to,
                        {{index, *broadcast_to(*index.layout, to.sizes), self.layout->sizes[dim],
                          self.layout->strides[dim], IndexRange::Wraps}}});
  return {};
}

// An indexing expression over a tensor: its lists, the dims of the selection, and how the tensor lies along them.
struct Selection {
  Dims sizes;
  Layout layout;  // of the tensor, with no step where lists say
  std::vector<Index> lists;
};

std::optional<Dims> common_sizes(const Call& call, const ValueList& indices) {
  Dims common;
  for (ValueId value : indices) {
    if (!value.valid()) continue;
    const std::optional<Dims> wider = broadcast_sizes(common, call.meta(value).layout.sizes);
    if (!wider) return std::nullopt;
    common = *wider;
  }
  return common;
}

Selection select(const KernelCall& call, const ValueList& indices, const Layout& self) {
  std::vector<int> named;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].valid()) named.push_back(static_cast<int>(d));
  }
  const Dims common = *common_sizes(call, indices);
  // The lists' shape stands where their dims stood if those are neighbours, else in front.
  const bool neighbours = named.empty() || named.back() - named.front() + 1 == static_cast<int>(named.size());
  const int front = neighbours && !named.empty() ? named.front() : 0;
  Selection selection;
  selection.layout.offset = self.offset;
  const auto add = [&](int64_t size, int64_t stride) {
    selection.sizes.push_back(size);
    selection.layout.strides.push_back(stride);
  };
  const auto is_named = [&](int dim) { return std::ranges::find(named, dim) != named.end(); };
  int before = 0;
  for (int dim = 0; dim < front; ++dim, ++before) add(self.sizes[dim], self.strides[dim]);
  for (int64_t size : common) add(size, 0);
  for (int dim = front; dim < self.rank(); ++dim) {
    if (!is_named(dim)) add(self.sizes[dim], self.strides[dim]);
  }
  selection.layout.sizes = selection.sizes;
  for (int dim : named) {
    const TensorRef& tensor = call.ref(indices[static_cast<std::size_t>(dim)]);
    const Layout wide = *broadcast_to(*tensor.layout, common);
    Layout places{selection.sizes, Dims::filled(selection.sizes.size(), 0), wide.offset};
    for (int d = 0; d < common.size(); ++d) places.strides[before + d] = wide.strides[d];
    selection.lists.push_back({tensor, places, self.sizes[dim], self.strides[dim], IndexRange::FromEitherEnd});
  }
  return selection;
}

// index(self, indices)
Result<void> index(const KernelCall& call) {
  const Selection selection = select(call, call.values(arg::indices), *call.input(arg::self).layout);
  record_indexed(call, {Direction::Gathers, selection.sizes, call.input(arg::self), call.output(), selection.layout,
                        *call.output().layout, selection.lists});
  return {};
}

// index_put(self, indices, values, accumulate)
Result<void> index_put(const KernelCall& call) {
  if (has_mask(call)) return masked_put(call);
  const TensorRef& output = call.output();
  call.move(call.input(arg::self), *call.input(arg::self).layout, output, *output.layout);
  const Selection selection = select(call, call.values(arg::indices), *output.layout);
  const TensorRef& values = call.input(arg::values);
  record_indexed(call, {call.boolean(arg::accumulate) ? Direction::Adds : Direction::Scatters, selection.sizes, values,
                        output, *broadcast_to(*values.layout, selection.sizes), selection.layout, selection.lists});
  return {};
}

// embedding(weight, indices)
Result<void> embedding(const KernelCall& call) {
  const TensorRef& weight = call.input(arg::weight);
  const TensorRef& index = call.input(arg::indices);
  const Layout& rows = *index.layout;
  Layout from{call.output().layout->sizes, Dims::filled(rows.rank() + 1, 0), weight.layout->offset};
  Layout places{from.sizes, from.strides, rows.offset};
  from.strides[rows.rank()] = weight.layout->strides[1];
  for (int dim = 0; dim < rows.rank(); ++dim) places.strides[dim] = rows.strides[dim];
  record_indexed(call, {Direction::Gathers,
                        from.sizes,
                        weight,
                        call.output(),
                        from,
                        *call.output().layout,
                        {{index, places, weight.layout->sizes[0], weight.layout->strides[0]}}});
  return {};
}

bool takes_lists(const Call& call, const Dims* of_values) {
  const ValueList& indices = call.values(arg::indices);
  const auto count = std::ranges::count_if(indices, &ValueId::valid);
  const std::optional<Dims> common = common_sizes(call, indices);
  if (!common || count == 0 || count > static_cast<int>(most_indices)) return false;
  const int rank = call.tensor(arg::self).layout.rank() - static_cast<int>(count) + common->size();
  return rank <= max_rank && (!of_values || of_values->size() <= rank);
}
// Masks say how many elements there are only once they are read.
bool takes_index(const Call& call, const TensorMeta&) { return !has_mask(call) && takes_lists(call, nullptr); }
bool takes_index_put(const Call& call, const TensorMeta&) {
  return has_mask(call) ? takes_masked_put(call) : takes_lists(call, &call.tensor(arg::values).layout.sizes);
}

constexpr std::array index_table = {
    KernelRow{"aten.gather.default", takes_any, gather},
    KernelRow{"aten.index_select.default", takes_any, index_select},
    KernelRow{"aten.index.Tensor", takes_index, index},
    KernelRow{"aten.index_put.default", takes_index_put, index_put},
    KernelRow{"aten.take.default", takes_any, take},
    KernelRow{"aten.take_along_dim.default", takes_any, take_along_dim},
    KernelRow{"aten.embedding.default", takes_any, embedding},
};

}  // namespace

std::span<const KernelRow> index_kernels() { return index_table; }

}  // namespace parallax::vulkan
