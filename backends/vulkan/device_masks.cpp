// What masks choose, and places that are counted off.
#include "backends/vulkan/device_masks.h"

#include <algorithm>
#include <limits>

#include "backends/vulkan/device_indexed.h"

namespace parallax::vulkan {
namespace {

const ShaderSource mask_source = {"mask", [] { return std::string(shader_text("mask")); }};
const ShaderSource places_source = {"places", [] { return std::string(shader_text("places")); }};

// Layouts are over the result's dims, but for the mask's, which has the dims from `first` on.
struct Masked {
  TensorRef self, mask, values, to;
  Layout of_self, of_mask, of_values;
  int first = 0;
  bool exactly = false;               // as many values as places
  std::optional<int64_t> given = {};  // values; without it there is one for all
  int64_t value_step = 0;             // from one place to the next
};

void record(const KernelCall& call, const Masked& masked) {
  const Layout& to = *masked.to.layout;
  if (to.numel() == 0) return;
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &mask_source;
  dispatch.count = static_cast<uint64_t>(to.numel());
  dispatch.raiser = call.node();
  // The offset, in the bound range, of a layout's first element.
  const auto bind = [&](const TensorRef& tensor, const Layout& layout) {
    // No value: none is read.
    const TensorRef& there = tensor.layout->numel() > 0 ? tensor : masked.mask;
    const BoundTensor bound = recorder.bind(there, *there.layout);
    dispatch.reads.push_back(bound.range);
    return tensor.layout->numel() > 0 ? bound.layout.offset + layout.offset - tensor.layout->offset : 0;
  };
  const int64_t self = bind(masked.self, masked.of_self);
  const int64_t mask = bind(masked.mask, masked.of_mask);
  const int64_t values = bind(masked.values, masked.of_values);
  const BoundTensor bound = recorder.bind(masked.to, to);
  dispatch.writes = {bound.range};
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(masked.to.dtype), int64_t(masked.mask.dtype), self, mask, values, bound.layout.offset,
                       int64_t{masked.exactly}, masked.given.value_or(-1), masked.value_step, int64_t{to.rank()},
                       int64_t{masked.first}, int64_t{masked.of_mask.rank()}}) {
    recorder.word(word);
  }
  for (int dim = 0; dim < to.rank(); ++dim) {
    for (int64_t word :
         {to.sizes[dim], masked.of_self.strides[dim], masked.of_values.strides[dim], bound.layout.strides[dim]}) {
      recorder.word(word);
    }
  }
  for (int64_t word : masked.of_mask.strides) recorder.word(word);
  recorder.add(std::move(dispatch));
}

// masked_scatter(self, mask, source): the mask has all dims of the result, and there may be more elements than places.
Result<void> masked_scatter(const KernelCall& call) {
  const TensorRef& output = call.output();
  const Dims& sizes = output.layout->sizes;
  Layout row;
  TRY(const TensorRef source, in_one_row(call, call.input(arg::source), row));
  Masked masked{call.input(arg::self), call.input(arg::mask), source, output, {}, {}, {}};
  masked.of_self = *broadcast_to(*call.input(arg::self).layout, sizes);
  masked.of_mask = *broadcast_to(*call.input(arg::mask).layout, sizes);
  masked.of_values = {sizes, Dims::filled(sizes.size(), 0), row.offset};
  masked.given = row.sizes[0];
  masked.value_step = 1;
  record(call, masked);
  return {};
}

bool takes_masked_scatter(const Call&, const TensorMeta& result) {
  return takes_looks(result.layout.numel(), result.layout.numel());
}

// The mask of an index_put, the dim it begins at, and how the values lie along the dims of self.
struct MaskedPut {
  ValueId mask;
  int first = 0;
  Layout of_values;
  std::optional<int64_t> given = {};
  int64_t value_step = 0;
};

// Nothing where there are other indices or the values do not fit. The selection has one dim in the place of the mask's.
std::optional<MaskedPut> plan_masked_put(const Call& call) {
  const ValueList& indices = call.values(arg::indices);
  const auto found = std::ranges::find_if(indices, &ValueId::valid);
  if (found == indices.end() || std::any_of(found + 1, indices.end(), [](ValueId v) { return v.valid(); })) {
    return std::nullopt;
  }
  MaskedPut put;
  put.mask = *found;
  put.first = static_cast<int>(found - indices.begin());
  const Dims& sizes = call.tensor(arg::self).layout.sizes;
  const int masked = call.meta(put.mask).layout.rank();
  const Layout& values = call.tensor(arg::values).layout;
  const int behind = sizes.size() - put.first - masked;
  if (behind < 0 || values.rank() > put.first + 1 + behind) return std::nullopt;
  put.of_values = {sizes, Dims::filled(sizes.size(), 0), values.offset};
  for (int d = 0; d < values.rank(); ++d) {
    const int64_t size = values.sizes[d];
    const int from_end = values.rank() - d;
    if (size == 1) continue;
    if (from_end == behind + 1) {
      put.given = size;
      put.value_step = values.strides[d];
      continue;
    }
    // Dims in front of the chosen one and behind it are self's.
    const int dim = sizes.size() - from_end - (from_end > behind ? masked - 1 : 0);
    if (size != sizes[dim]) return std::nullopt;
    put.of_values.strides[dim] = values.strides[d];
  }
  return put;
}

// Words that say what is counted, as in shaders/places.glsl.
enum class Counted : uint32_t { NonZero, Repeats, Below, Above };

// `operand` may be missing. The result's numbers go along its dim `along`, coordinates along the other.
Dispatch places_dispatch(const KernelCall& call, Counted what, const TensorRef* operand, int64_t invocations,
                         int64_t count, int64_t step, int64_t coordinate_step, int64_t missing, int64_t first,
                         int64_t second) {
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &places_source;
  dispatch.count = static_cast<uint64_t>(invocations);
  dispatch.raiser = call.node();
  const TensorRef& output = call.output();
  const BoundTensor to = recorder.bind(output, *output.layout);
  dispatch.writes = {to.range};
  int64_t source = 0;
  if (operand && operand->layout->numel() > 0) {
    const BoundTensor from = recorder.bind(*operand, *operand->layout);
    dispatch.reads = {from.range};
    source = from.layout.offset;
  }
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(what), operand ? int64_t(operand->dtype) : 0, int64_t(output.dtype), source,
                       to.layout.offset, count, step, coordinate_step}) {
    recorder.word(word);
  }
  recorder.number(static_cast<uint64_t>(missing));
  recorder.word(first);
  recorder.word(second);
  return dispatch;
}

// nonzero_static(self, size, fill_value): a row of coordinates for each place.
Result<void> nonzero(const KernelCall& call) {
  const TensorRef& self = call.input(arg::self);
  const Layout& to = *call.output().layout;
  if (to.numel() == 0) return {};
  Dispatch dispatch = places_dispatch(call, Counted::NonZero, &self, to.sizes[0], self.layout->numel(), to.strides[0],
                                      to.strides[1], call.integer(arg::fill_value), 0, 0);
  Recorder& recorder = call.recorder();
  recorder.word(self.layout->rank());
  for (int dim = 0; dim < self.layout->rank(); ++dim) {
    recorder.word(self.layout->sizes[dim]);
    recorder.word(self.layout->strides[dim]);
  }
  recorder.add(std::move(dispatch));
  return {};
}

bool takes_nonzero(const Call& call, const TensorMeta& result) {
  return takes_looks(result.layout.sizes[0], call.tensor(arg::self).layout.numel());
}

// repeat_interleave(repeats, output_size)
Result<void> repeat_places(const KernelCall& call) {
  const TensorRef& repeats = call.input(arg::repeats);
  const Layout& to = *call.output().layout;
  Dispatch dispatch = places_dispatch(call, Counted::Repeats, &repeats, to.numel(), repeats.layout->numel(),
                                      to.strides[0], 0, 0, repeats.layout->strides[0], to.numel());
  call.recorder().word(0);
  call.recorder().add(std::move(dispatch));
  return {};
}

// Without a result nobody would look whether there is one.
bool takes_repeats(const Call& call, const TensorMeta& result) {
  const int64_t numel = result.layout.numel();
  return numel > 0 && takes_looks(numel, call.tensor(arg::repeats).layout.numel());
}

// tril_indices(row, col, offset) and triu_indices: rows, then columns.
template <Counted what>
Result<void> triangle(const KernelCall& call) {
  const Layout& to = *call.output().layout;
  if (to.numel() == 0) return {};
  const int64_t rows = call.integer(arg::row);
  const int64_t columns = call.integer(arg::col);
  const int64_t diagonal = std::clamp(call.integer(arg::offset), -rows - 1, columns + 1);
  Dispatch dispatch =
      places_dispatch(call, what, nullptr, to.sizes[1], rows, to.strides[1], to.strides[0], 0, columns, diagonal);
  call.recorder().word(0);
  call.recorder().add(std::move(dispatch));
  return {};
}

bool takes_triangle(const Call& call, const TensorMeta& result) {
  constexpr int64_t most = int64_t{1} << 30;
  return takes_looks(result.layout.sizes[1], call.integer(arg::row)) && call.integer(arg::row) < most &&
         call.integer(arg::col) < most;
}

constexpr std::array mask_table = {
    KernelRow{"aten.masked_scatter.default", takes_masked_scatter, masked_scatter},
    KernelRow{"aten.nonzero_static.default", takes_nonzero, nonzero},
    KernelRow{"aten.repeat_interleave.Tensor", takes_repeats, repeat_places},
    KernelRow{"aten.tril_indices.default", takes_triangle, triangle<Counted::Below>},
    KernelRow{"aten.triu_indices.default", takes_triangle, triangle<Counted::Above>},
};

}  // namespace

bool has_mask(const Call& call) {
  return std::ranges::any_of(call.values(arg::indices), [&](ValueId value) {
    return value.valid() && (call.meta(value).dtype == DType::Bool || call.meta(value).dtype == DType::U8);
  });
}

bool takes_masked_put(const Call& call) {
  const std::optional<MaskedPut> put = plan_masked_put(call);
  return put && call.tensor(arg::self).layout.numel() > 0 &&
         takes_looks(call.tensor(arg::self).layout.numel(), call.meta(put->mask).layout.numel());
}

// Places that a mask chooses are named once each, so that adding is adding one value.
Result<void> masked_put(const KernelCall& call) {
  const MaskedPut put = *plan_masked_put(call);
  const TensorRef& self = call.input(arg::self);
  const TensorRef& output = call.output();
  const TensorRef& mask = call.ref(put.mask);
  Masked masked{self, mask, call.input(arg::values), output, *self.layout, *mask.layout, put.of_values};
  masked.first = put.first;
  masked.exactly = put.given.has_value();
  masked.given = put.given;
  masked.value_step = put.value_step;
  if (!call.boolean(arg::accumulate)) {
    record(call, masked);
    return {};
  }
  // Over zeros, which are then added: negative ones, which leave every number as it is.
  const Layout each = contiguous_layout(output.layout->sizes);
  Layout nowhere = each;
  nowhere.strides = Dims::filled(each.rank(), 0);
  const Scalar nothing = is_floating(output.dtype) ? Scalar(-0.0) : Scalar(int64_t{0});
  TRY(const TensorRef zero, call.scratch(output.dtype, nothing));
  TRY(const TensorRef terms, call.scratch(output.dtype, each));
  masked.self = zero;
  masked.of_self = nowhere;
  masked.to = terms;
  record(call, masked);
  PointwiseProgram program(each.sizes);
  const PointwiseProgram::Number before = program.load(self, *self.layout);
  const PointwiseProgram::Number added = program.load(terms, each);
  const PointwiseProgram::Number one_time = program.constant(output.dtype, int64_t{1});
  program.store(program.apply(find_function("add"), before, added, one_time), output, *output.layout);
  program.record(call.recorder(), call.node());
  return {};
}

std::span<const KernelRow> mask_kernels() { return mask_table; }

}  // namespace parallax::vulkan
