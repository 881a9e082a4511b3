// Elements chosen by the values of other tensors.
#include <algorithm>
#include <limits>

#include "backends/vulkan/device_kernel.h"
#include "ops/combiner.h"

namespace parallax::vulkan {
namespace {

const ShaderSource indexed_source = {"indexed", [] { return std::string(shader_text("indexed")); }};

// As in shaders/indexed.glsl.
enum class Direction : uint32_t { Gathers, Scatters, Adds, Multiplies, KeepsLargest, KeepsSmallest };
// Whether places that are named twice get both: then one invocation does all, in order.
constexpr bool combines(Direction direction) { return direction >= Direction::Adds; }

constexpr std::size_t most_indices = 3;  // beside the source, in a narrow shader

// An index tensor: how it lies along the dims of what is moved, and the dim that it names places of.
struct Index {
  TensorRef tensor;
  Layout layout;
  int64_t size = 0;
  int64_t step = 0;  // of that dim, in the tensor that is indexed
  bool from_end = false;
};

// Moves elements of `sizes`: `source` and `target` are layouts of them, but for the dims that indices name.
struct IndexedMove {
  Direction direction = Direction::Gathers;
  Dims sizes;
  TensorRef from, to;
  Layout source, target;
  std::vector<Index> indices;
};

// Everything of the tensor's layout is bound, since nobody knows where indices lead.
void record(const KernelCall& call, const IndexedMove& move) {
  const int64_t count = contiguous_layout(move.sizes).numel();
  if (count == 0) return;
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &indexed_source;
  dispatch.count = combines(move.direction) ? 1 : static_cast<uint64_t>(count);
  dispatch.raiser = call.node();
  // The offset, in the bound range, of a layout's first element.
  const auto bind = [&](const TensorRef& tensor, const Layout& layout, std::vector<BufferRange>& ranges) {
    const BoundTensor bound = recorder.bind(tensor, *tensor.layout);
    ranges.push_back(bound.range);
    return bound.layout.offset + layout.offset - tensor.layout->offset;
  };
  // Of a tensor without elements nothing is bound: every index is out of its range.
  const bool is_empty = move.from.layout->numel() == 0;
  if (is_empty) dispatch.reads.push_back(recorder.bind(move.to, *move.to.layout).range);
  const int64_t source = is_empty ? 0 : bind(move.from, move.source, dispatch.reads);
  const int64_t target = bind(move.to, move.target, dispatch.writes);
  std::vector<int64_t> offsets;
  for (const Index& index : move.indices) offsets.push_back(bind(index.tensor, index.layout, dispatch.reads));
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(move.direction), int64_t(move.from.dtype), int64_t(move.to.dtype), source, target,
                       int64_t(move.indices.size()), int64_t(move.sizes.size())}) {
    recorder.word(word);
  }
  for (const Dims* dims : {&move.sizes, &move.source.strides, &move.target.strides}) {
    for (int64_t word : *dims) recorder.word(word);
  }
  for (std::size_t i = 0; i < move.indices.size(); ++i) {
    const Index& index = move.indices[i];
    for (int64_t word : {int64_t(index.tensor.dtype), offsets[i], index.size, index.step, int64_t{index.from_end}}) {
      recorder.word(word);
    }
    for (int64_t stride : index.layout.strides) recorder.word(stride);
  }
  recorder.add(std::move(dispatch));
}

// A layout whose dim goes where an index says.
Layout along(Layout layout, int dim) {
  layout.strides[dim] = 0;
  return layout;
}

// A 0-d tensor is looked at as 1-d.
Layout at_least_1d(const Layout& layout) { return layout.rank() > 0 ? layout : Layout{{1}, {1}, layout.offset}; }

// Elements of the operand, along `dim` from where the index says, whose element for each of the result `places` shows.
void gather_from(const KernelCall& call, const Layout& from, int dim, const Layout& places, const Layout& to) {
  record(call, {Direction::Gathers,
                to.sizes,
                call.input(0),
                call.output(),
                along(from, dim),
                to,
                {{call.input(2), places, from.sizes[dim], from.strides[dim]}}});
}

// gather(self, dim, index)
Result<void> gather(const KernelCall& call) {
  const Layout from = at_least_1d(*call.input(0).layout);
  const Layout places = at_least_1d(*call.input(2).layout);
  const Layout to = at_least_1d(*call.output().layout);
  const int dim = portable::wrapped_dim(call.integer(1), from.rank());
  gather_from(call, from, dim, places, to);
  return {};
}

// index_select(self, dim, index): the index goes along the dim only.
Result<void> index_select(const KernelCall& call) {
  const Layout& index = *call.input(2).layout;
  const Layout from = at_least_1d(*call.input(0).layout);
  const Layout to = at_least_1d(*call.output().layout);
  const int dim = portable::wrapped_dim(call.integer(1), from.rank());
  Layout places{to.sizes, Dims::filled(to.rank(), 0), index.offset};
  if (index.rank() > 0) places.strides[dim] = index.strides[0];
  gather_from(call, from, dim, places, to);
  return {};
}

// Elements of `source`, which `from` gives one for each element of the index, to where the index of the call
// scatter(self, dim, index, …) says in `output`.
void scatter_into(const KernelCall& call, Direction direction, const TensorRef& source, Layout from,
                  const TensorRef& output) {
  const TensorRef& index = call.input(2);
  const Layout places = at_least_1d(*index.layout);
  const Layout to = at_least_1d(*output.layout);
  const int dim = portable::wrapped_dim(call.integer(1), to.rank());
  from.sizes = places.sizes;
  Layout target = along(to, dim);
  target.sizes = places.sizes;
  record(call,
         {direction, places.sizes, source, output, from, target, {{index, places, to.sizes[dim], to.strides[dim]}}});
}

// scatter(self, dim, index, src) and its kin
template <Direction direction>
Result<void> scatter(const KernelCall& call) {
  const TensorRef& output = call.output();
  call.move(call.input(0), *call.input(0).layout, output, *output.layout);
  scatter_into(call, direction, call.input(3), at_least_1d(*call.input(3).layout), output);
  return {};
}

// One element in memory of its own, and its steps along the dims of the call's index.
struct Repeated {
  Layout own = {{1}, {1}, 0};
  TensorRef tensor;
  Layout steps;

  static Result<void> make(const KernelCall& call, DType dtype, const Scalar& number, Repeated& made) {
    made.tensor = {nullptr, dtype, &made.own};
    TRY(made.tensor.storage, call.recorder().scratch(size_of(dtype)));
    PointwiseProgram program(made.own.sizes);
    program.store(program.constant(dtype, number), made.tensor, made.own);
    program.record(call.recorder(), call.node());
    const int rank = std::max(call.input(2).layout->rank(), 1);
    made.steps = {Dims::filled(rank, 1), Dims::filled(rank, 0), 0};
    return {};
  }
};

// The number that changes nothing it is combined with.
Scalar identity(Direction direction, DType dtype) {
  if (direction == Direction::Adds) return int64_t{0};
  if (direction == Direction::Multiplies) return int64_t{1};
  const bool least = direction == Direction::KeepsLargest;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_floating(dtype)) return least ? -infinity : infinity;
  if (dtype == DType::Bool || dtype == DType::U8) return int64_t{least ? 0 : dtype == DType::Bool ? 1 : 255};
  const int64_t highest = std::numeric_limits<int64_t>::max() >> (64 - 8 * size_of(dtype));
  return least ? -highest - 1 : highest;
}

Direction direction_of(Combine how) {
  switch (how) {
    case Combine::Product:
      return Direction::Multiplies;
    case Combine::Maximum:
      return Direction::KeepsLargest;
    case Combine::Minimum:
      return Direction::KeepsSmallest;
    case Combine::Sum:
    case Combine::Mean:
      break;
  }
  return Direction::Adds;
}

// scatter_reduce(self, dim, index, src, reduce, include_self)
Result<void> scatter_reduce(const KernelCall& call) {
  const TensorRef& output = call.output();
  const Combine how = parse_combine(std::get<std::string>(call.arguments()[4])).value();
  const Direction direction = direction_of(how);
  const bool with_self = call.boolean(5);
  call.move(call.input(0), *call.input(0).layout, output, *output.layout);
  if (!with_self) {
    Repeated nothing;
    TRY_VOID(Repeated::make(call, output.dtype, identity(direction, output.dtype), nothing));
    scatter_into(call, Direction::Scatters, nothing.tensor, nothing.steps, output);
  }
  scatter_into(call, direction, call.input(3), at_least_1d(*call.input(3).layout), output);
  if (how != Combine::Mean || output.layout->numel() == 0) return {};
  // Each by how many there were, at least one.
  const Layout each = contiguous_layout(output.layout->sizes);
  TensorRef counts{nullptr, output.dtype, &each};
  TRY(counts.storage, call.recorder().scratch(each.numel() * size_of(output.dtype)));
  PointwiseProgram start(each.sizes);
  start.store(start.constant(output.dtype, int64_t{with_self}), counts, each);
  start.record(call.recorder(), call.node());
  Repeated one;
  TRY_VOID(Repeated::make(call, output.dtype, int64_t{1}, one));
  scatter_into(call, Direction::Adds, one.tensor, one.steps, counts);
  PointwiseProgram program(output.layout->sizes);
  const PointwiseProgram::Number sum = program.load(output, *output.layout);
  const PointwiseProgram::Number count =
      program.apply(find_function("maximum"), program.load(counts, each), program.constant(output.dtype, int64_t{1}));
  const Function& quotient = find_function(is_floating(output.dtype) ? "div" : "div_floor");
  program.store(program.apply(quotient, sum, count), output, *output.layout);
  program.record(call.recorder(), call.node());
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
    selection.lists.push_back({tensor, places, self.sizes[dim], self.strides[dim], true});
  }
  return selection;
}

// index(self, indices)
Result<void> index(const KernelCall& call) {
  const Selection selection = select(call, call.values(1), *call.input(0).layout);
  record(call, {Direction::Gathers, selection.sizes, call.input(0), call.output(), selection.layout,
                *call.output().layout, selection.lists});
  return {};
}

// index_put(self, indices, values, accumulate)
Result<void> index_put(const KernelCall& call) {
  const TensorRef& output = call.output();
  call.move(call.input(0), *call.input(0).layout, output, *output.layout);
  const Selection selection = select(call, call.values(1), *output.layout);
  const TensorRef& values = call.input(2);
  record(call, {call.boolean(3) ? Direction::Adds : Direction::Scatters, selection.sizes, values, output,
                *broadcast_to(*values.layout, selection.sizes), selection.layout, selection.lists});
  return {};
}

// embedding(weight, indices)
Result<void> embedding(const KernelCall& call) {
  const TensorRef& weight = call.input(0);
  const TensorRef& index = call.input(1);
  const Layout& rows = *index.layout;
  Layout from{call.output().layout->sizes, Dims::filled(rows.rank() + 1, 0), weight.layout->offset};
  Layout places{from.sizes, from.strides, rows.offset};
  from.strides[rows.rank()] = weight.layout->strides[1];
  for (int dim = 0; dim < rows.rank(); ++dim) places.strides[dim] = rows.strides[dim];
  record(call, {Direction::Gathers,
                from.sizes,
                weight,
                call.output(),
                from,
                *call.output().layout,
                {{index, places, weight.layout->sizes[0], weight.layout->strides[0]}}});
  return {};
}

bool takes_any(const Call&, const TensorMeta&) { return true; }

// Masks say how many elements there are only once they are read.
bool takes_lists(const Call& call, int lists, const Dims* of_values) {
  const ValueList& indices = call.values(lists);
  const auto is_mask = [&](ValueId value) {
    return value.valid() && (call.meta(value).dtype == DType::Bool || call.meta(value).dtype == DType::U8);
  };
  const auto count = std::ranges::count_if(indices, &ValueId::valid);
  const std::optional<Dims> common = common_sizes(call, indices);
  if (!common || std::ranges::any_of(indices, is_mask) || count == 0 || count > static_cast<int>(most_indices)) {
    return false;
  }
  const int rank = call.tensor(0).layout.rank() - static_cast<int>(count) + common->size();
  return rank <= max_rank && (!of_values || of_values->size() <= rank);
}
bool takes_index(const Call& call, const TensorMeta&) { return takes_lists(call, 1, nullptr); }
bool takes_index_put(const Call& call, const TensorMeta&) { return takes_lists(call, 1, &call.tensor(2).layout.sizes); }

constexpr std::array rows = {
    KernelRow{"aten.gather.default", takes_any, gather},
    KernelRow{"aten.index_select.default", takes_any, index_select},
    KernelRow{"aten.index.Tensor", takes_index, index},
    KernelRow{"aten.index_put.default", takes_index_put, index_put},
    KernelRow{"aten.scatter.src", takes_any, scatter<Direction::Scatters>},
    KernelRow{"aten.scatter_add.default", takes_any, scatter<Direction::Adds>},
    KernelRow{"aten.scatter_reduce.two", takes_any, scatter_reduce},
    KernelRow{"aten.embedding.default", takes_any, embedding},
};

}  // namespace

std::span<const KernelRow> index_kernels() { return rows; }

}  // namespace parallax::vulkan
