// Elements put, added or otherwise combined where an index says.
#include <algorithm>
#include <limits>

#include "backends/vulkan/device_indexed.h"
#include "core/limits.h"
#include "ops/combiner.h"

namespace parallax::vulkan {
namespace {

// Where a call(self, dim, index, …) puts elements, in a tensor of the sizes of its result.
struct Places {
  Dims sizes;     // of what is put
  Layout target;  // with no step along the dim
  Index index;
};

// scatter and its kin: the index has an element for each that is put.
Places elements_of(const KernelCall& call, const Layout& layout, IndexRange range) {
  const TensorRef& index = call.input(arg::index);
  const Layout at = at_least_1d(*index.layout);
  const Layout to = at_least_1d(layout);
  const int dim = portable::wrapped_dim(call.integer(arg::dim), to.rank());
  Places places{at.sizes, along(to, dim), {index, at, to.sizes[dim], to.strides[dim], range}};
  places.target.sizes = at.sizes;
  return places;
}

// index_add and its kin: the index has an element for each slice along the dim.
Places slices_of(const KernelCall& call, const Layout& layout, IndexRange range) {
  const TensorRef& index = call.input(arg::index);
  const Layout to = at_least_1d(layout);
  const int dim = portable::wrapped_dim(call.integer(arg::dim), to.rank());
  Places places{to.sizes, along(to, dim), {}};
  places.sizes[dim] = index.layout->numel();
  places.target.sizes = places.sizes;
  Layout at{places.sizes, Dims::filled(to.rank(), 0), index.layout->offset};
  if (index.layout->rank() > 0) at.strides[dim] = index.layout->strides[0];
  places.index = {index, at, to.sizes[dim], to.strides[dim], range};
  return places;
}

using PlacesFn = Places (*)(const KernelCall& call, const Layout& layout, IndexRange range);

// One element for every place.
const Layout everywhere;

// Elements of `source`, which `from` gives one for each place, into `to`.
template <PlacesFn places_of>
void put(const KernelCall& call, Direction direction, const TensorRef& source, Layout from, const TensorRef& to,
         IndexRange range = IndexRange::FromStart) {
  if (to.layout->numel() == 0) return;  // eager looks at no index there
  const Places places = places_of(call, *to.layout, range);
  from.sizes = places.sizes;
  if (from.strides.empty()) from.strides = Dims::filled(places.sizes.size(), 0);
  record_indexed(call, {direction, places.sizes, source, to, from, places.target, {places.index}});
}

void start_with_self(const KernelCall& call) {
  call.move(call.input(arg::self), *call.input(arg::self).layout, call.output(), *call.output().layout);
}

// What an op calls that which it puts: a tensor or a number.
arg source_name(const Call& call) {
  if (call.takes(arg::value)) return arg::value;
  return call.takes(arg::src) ? arg::src : arg::source;
}

template <PlacesFn places_of>
Result<void> put_source(const KernelCall& call, Direction direction, IndexRange range = IndexRange::FromStart) {
  const arg source = source_name(call);
  start_with_self(call);
  const TensorRef& output = call.output();
  if (const auto* number = std::get_if<Scalar>(&call.argument(source))) {
    TRY(const TensorRef kept, call.scratch(output.dtype, *number));
    put<places_of>(call, direction, kept, everywhere, output, range);
    return {};
  }
  put<places_of>(call, direction, call.input(source), at_least_1d(*call.input(source).layout), output, range);
  return {};
}

// scatter(self, dim, index, src) and its kin
template <Direction direction>
Result<void> scatter(const KernelCall& call) {
  return put_source<elements_of>(call, direction);
}

// scatter(self, dim, index, src, reduce)
Result<void> scatter_with(const KernelCall& call) {
  const bool multiplies = call.text(arg::reduce) == "multiply";
  return put_source<elements_of>(call, multiplies ? Direction::Multiplies : Direction::Adds);
}

// index_copy(self, dim, index, source)
Result<void> index_copy(const KernelCall& call) { return put_source<slices_of>(call, Direction::Scatters); }

// index_fill(self, dim, index, value), whose value is a number or a 0-d tensor.
Result<void> index_fill(const KernelCall& call) {
  if (!call.is_tensor(arg::value)) {
    return put_source<slices_of>(call, Direction::Scatters, IndexRange::FromEitherEnd);
  }
  start_with_self(call);
  const TensorRef& value = call.input(arg::value);
  put<slices_of>(call, Direction::Scatters, value, Layout{{}, {}, value.layout->offset}, call.output(),
                 IndexRange::FromEitherEnd);
  return {};
}

// index_add(self, dim, index, source, alpha)
Result<void> index_add(const KernelCall& call) {
  const TensorRef& output = call.output();
  const TensorRef& source = call.input(arg::source);
  if (call.real(arg::alpha) == 1) return put_source<slices_of>(call, Direction::Adds);
  start_with_self(call);
  const Layout layout = contiguous_layout(source.layout->sizes);
  if (layout.numel() == 0) return {};
  TRY(const TensorRef scaled, call.scratch(output.dtype, layout));
  PointwiseProgram program(layout.sizes);
  const PointwiseProgram::Number x = program.converted(program.load(source, *source.layout), output.dtype);
  const PointwiseProgram::Number alpha = program.constant(output.dtype, call.scalar(arg::alpha));
  program.store(program.apply(find_function("mul"), alpha, x), scaled, layout);
  program.record(call.recorder(), call.node());
  put<slices_of>(call, Direction::Adds, scaled, at_least_1d(layout), output);
  return {};
}

// put(self, index, source, accumulate): the operand counted as one row.
Result<void> put_into_row(const KernelCall& call) {
  const TensorRef& output = call.output();
  const TensorRef& index = call.input(arg::index);
  const TensorRef& source = call.input(arg::source);
  start_with_self(call);
  if (index.layout->numel() == 0) return {};
  Layout row, given;
  TRY(const TensorRef result, in_one_row(call, output, row));
  TRY(const TensorRef elements, in_one_row(call, source, given));
  const Dims& sizes = index.layout->sizes;
  const Layout from{sizes, contiguous_strides(sizes), given.offset};
  const Layout to{sizes, Dims::filled(sizes.size(), 0), row.offset};
  record_indexed(call, {call.boolean(arg::accumulate) ? Direction::Adds : Direction::Scatters,
                        sizes,
                        elements,
                        result,
                        from,
                        to,
                        {{index, *index.layout, row.sizes[0], 1, IndexRange::FromEitherEnd}}});
  if (result.storage != output.storage) {
    call.move(result, contiguous_layout(output.layout->sizes), output, *output.layout);
  }
  return {};
}

// The number that changes nothing it is combined with.
Scalar identity(Direction direction, DType dtype) {
  if (direction == Direction::Adds) return int64_t{0};
  if (direction == Direction::Multiplies) return int64_t{1};
  const bool least = direction == Direction::KeepsLargest;
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

// scatter_reduce(self, dim, index, src, reduce, include_self) and index_reduce, which has slices.
template <PlacesFn places_of>
Result<void> reduce_into(const KernelCall& call) {
  const TensorRef& output = call.output();
  const TensorRef& source = call.input(source_name(call));
  const Combine how = parse_combine(call.text(arg::reduce)).value();
  const Direction direction = direction_of(how);
  const bool with_self = call.boolean(arg::include_self);
  start_with_self(call);
  if (!with_self) {
    TRY(const TensorRef nothing, call.scratch(output.dtype, identity(direction, output.dtype)));
    put<places_of>(call, Direction::Scatters, nothing, everywhere, output);
  }
  put<places_of>(call, direction, source, at_least_1d(*source.layout), output);
  if (how != Combine::Mean || output.layout->numel() == 0) return {};
  // Each by how many there were, at least one.
  const Layout each = contiguous_layout(output.layout->sizes);
  TRY(const TensorRef counts, call.scratch(output.dtype, each, int64_t{with_self}));
  TRY(const TensorRef one, call.scratch(output.dtype, int64_t{1}));
  put<places_of>(call, Direction::Adds, one, everywhere, counts);
  PointwiseProgram program(output.layout->sizes);
  const PointwiseProgram::Number sum = program.load(output, *output.layout);
  const PointwiseProgram::Number count =
      program.apply(find_function("maximum"), program.load(counts, each), program.constant(output.dtype, int64_t{1}));
  const Function& quotient = find_function(is_floating(output.dtype) ? "div" : "div_floor");
  program.store(program.apply(quotient, sum, count), output, *output.layout);
  program.record(call.recorder(), call.node());
  return {};
}

constexpr std::array scatter_table = {
    KernelRow{"aten.scatter.src", takes_any, scatter<Direction::Scatters>},
    KernelRow{"aten.scatter.value", takes_any, scatter<Direction::Scatters>},
    KernelRow{"aten.scatter.reduce", takes_any, scatter_with},
    KernelRow{"aten.scatter.value_reduce", takes_any, scatter_with},
    KernelRow{"aten.scatter_add.default", takes_any, scatter<Direction::Adds>},
    KernelRow{"aten.scatter_reduce.two", takes_any, reduce_into<elements_of>},
    KernelRow{"aten.index_add.default", takes_any, index_add},
    KernelRow{"aten.index_copy.default", takes_any, index_copy},
    KernelRow{"aten.index_fill.int_Scalar", takes_any, index_fill},
    KernelRow{"aten.index_fill.int_Tensor", takes_any, index_fill},
    KernelRow{"aten.index_reduce.default", takes_any, reduce_into<slices_of>},
    KernelRow{"aten.put.default", takes_any, put_into_row},
};

}  // namespace

std::span<const KernelRow> scatter_kernels() { return scatter_table; }

}  // namespace parallax::vulkan
