// Creation: zeros, ones and new tensors of one number in the shape that is asked for, and memory of unknown numbers.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/indices.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Where there is a tensor, its dtype is the default.
Metas infer_created(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(arg::size));
  if (!sizes) return in_op(call, sizes.error());
  const DType default_dtype = call.takes(arg::self) ? call.tensor(arg::self).dtype : DType::F32;
  const DType dtype = call.dtype(arg::dtype).value_or(default_dtype);
  if (call.takes(arg::fill_value)) TRY_VOID(check_fits(call, call.scalar(arg::fill_value), dtype));
  return fresh_result(dtype, contiguous_layout(*sizes));
}

template <int64_t number>
Result<void> reference_created(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Scalar value = call.takes(arg::fill_value) ? call.scalar(arg::fill_value) : Scalar(number);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  for_each_element(output.layout, [&](int64_t element) {
    if (output.floating()) {
      output.ball(element) = math.scalar(as_double(value));
    } else {
      output.integer(element) = {number_as(output.dtype, value), Undecided::No};
    }
  });
  return {};
}

DType empty_dtype(const Call& call) {
  const DType default_dtype = call.takes(arg::self) ? call.tensor(arg::self).dtype : DType::F32;
  return call.dtype(arg::dtype).value_or(default_dtype);
}

Metas infer_empty(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(arg::size));
  if (!sizes) return in_op(call, sizes.error());
  const MemoryFormat format = call.memory_format(arg::memory_format).value_or(MemoryFormat::Contiguous);
  TRY(const Layout layout, fresh_layout(contiguous_layout(*sizes), format));
  return fresh_result(empty_dtype(call), layout);
}

Metas infer_empty_like(const Call& call) {
  const MemoryFormat format = call.memory_format(arg::memory_format).value_or(MemoryFormat::Preserve);
  TRY(const Layout layout, fresh_layout(call.tensor(arg::self).layout, format));
  return fresh_result(empty_dtype(call), layout);
}

Metas infer_empty_strided(const Call& call) {
  const Result<Dims> sizes = to_sizes(call.integers(arg::size));
  if (!sizes) return in_op(call, sizes.error());
  const Result<Layout> layout = as_strided_layout(contiguous_layout(*sizes), call.integers(arg::size),
                                                  call.integers(arg::stride), 0, int64_t{1} << 40);
  if (!layout) return in_op(call, layout.error());
  if (overlaps_itself(*layout)) return fail("{}: elements that share memory are not supported", call.op().name);
  return fresh_result(empty_dtype(call), *layout);
}

Result<void> reference_empty(const ReferenceCall& call) {
  set_all_undecided(call.output(), Undecided::Uninitialized);
  return {};
}

// A bool whose byte is neither 0 nor 1 is no bool that could be shown.
std::optional<std::vector<Argument>> sample_empty(const Op& op, SampleContext& context) {
  const auto like = pick_number(context);
  if (!like) return std::nullopt;
  const Layout& layout = context.meta(*like).layout;
  std::vector<Argument> given;
  if (op.schema.index_of(arg::self) >= 0) given.emplace_back(*like);
  if (op.schema.index_of(arg::size) >= 0) {
    given.emplace_back(IntList(layout.sizes.begin(), layout.sizes.end()));
  }
  if (op.schema.index_of(arg::stride) >= 0) {
    const Dims strides = contiguous_strides(layout.sizes);
    given.emplace_back(IntList(strides.begin(), strides.end()));
  }
  return with_argument(op, with_defaults(op, std::move(given)), arg::dtype, context.meta(*like).dtype);
}

OpDef empty(std::string_view schema, InferFn infer) {
  return {.schema = schema, .infer = infer, .reference = reference_empty, .sample = sample_empty};
}

std::optional<std::vector<Argument>> sample_created(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const bool takes_value = op.schema.index_of(arg::fill_value) >= 0;
  std::vector<Argument> given;
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  // Shapes that others in the pool have are the ones that something can be done with.
  const Dims& sizes = context.meta(*self).layout.sizes;
  if (op.schema.index_of(arg::self) >= 0) given.emplace_back(*self);
  given.emplace_back(IntList(sizes.begin(), sizes.end()));
  if (takes_value) given.emplace_back(draw_scalar(choices, context.meta(*self).dtype));
  std::vector<Argument> arguments = with_defaults(op, std::move(given));
  if (takes_value || !choices.chance(40)) return arguments;
  return with_argument(op, std::move(arguments), arg::dtype, draw_dtype(choices));
}

template <int64_t number>
OpDef created(std::string_view schema) {
  return {.schema = schema, .infer = infer_created, .reference = reference_created<number>, .sample = sample_created};
}

}  // namespace

std::vector<OpDef> create_family() {
  return {
      created<0>("zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None) -> Tensor"),
      created<1>("ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None) -> Tensor"),
      created<0>("new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, bool? pin_memory=None) -> Tensor"),
      created<1>("new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, bool? pin_memory=None) -> Tensor"),
      created<0>("new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, "
                 "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"),
      empty("empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
            infer_empty),
      empty("empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None) -> Tensor",
            infer_empty_strided),
      empty("empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
            "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
            infer_empty_like),
      empty("new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
            "device=None, bool? pin_memory=None) -> Tensor",
            infer_empty),
  };
}

}  // namespace parallax
