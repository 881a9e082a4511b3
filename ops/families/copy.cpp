// Copies: clones in a memory format, casts, and the ops that copy only where a view is not enough.
//
// reshape, flatten, contiguous and to give their operand's own memory where they can. infer decides, so their kernel
// has nothing to do then.
#include "ops/copying.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"
#include "ops/view_sample.h"

namespace parallax {
namespace {

Metas copy_of(const Call& call, const Result<Layout>& layout, DType dtype) {
  if (!layout) return in_op(call, layout.error());
  return std::vector{ResultMeta{dtype, *layout, ValueId()}};
}

Metas alias_of(const Call& call, const Layout& layout) {
  return std::vector{ResultMeta{call.tensor(arg::self).dtype, layout, call.value(arg::self)}};
}

// The operand itself, as `return self` gives it.
Metas handed_on(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(arg::self), true}};
}

Metas infer_clone(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  return copy_of(call,
                 fresh_layout(self.layout, call.memory_format(arg::memory_format).value_or(MemoryFormat::Preserve)),
                 self.dtype);
}

// Dropout where nothing is dropped: outside of training, or at a probability of 0. The second result says what is kept.
Metas infer_dropout(const Call& call) {
  const TensorMeta& input = call.tensor(arg::input);
  // Eager hands an input without elements on, with a mask of the input's dtype.
  if (input.layout.numel() == 0) return fail("{}: an input without elements is not supported", call.op().name);
  const bool trains = !call.has(arg::train) || call.boolean(arg::train);
  if (trains && call.real(arg::p) != 0) return refuse("{}: dropout is random", call.op().name);
  TRY(const Layout layout, fresh_layout(input.layout, MemoryFormat::Preserve));
  return std::vector{ResultMeta{input.dtype, layout, ValueId()}, ResultMeta{DType::Bool, layout, ValueId()}};
}

Result<void> reference_dropout(const ReferenceCall& call) {
  copy_elements(call.input(arg::input), call.output(), call.profile());
  constexpr int mask_result = 1;
  const BallView& kept = call.output(mask_result);
  for_each_element(kept.layout, [&](int64_t element) { kept.integer(element) = {1, Undecided::No}; });
  return {};
}

Metas infer_contiguous(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const MemoryFormat format = call.memory_format(arg::memory_format).value_or(MemoryFormat::Contiguous);
  // Eager asks a tensor for preserve_format as for contiguous_format, and refuses it only where it would have to copy.
  if (format == MemoryFormat::Preserve && is_contiguous(self.layout)) return handed_on(call);
  const Result<bool> in_format = is_in_format(self.layout, format);
  if (!in_format) return in_op(call, in_format.error());
  if (*in_format) return handed_on(call);
  return copy_of(call, fresh_layout(self.layout, format), self.dtype);
}

Metas infer_lift_fresh_copy(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  return copy_of(call, contiguous_layout(self.layout.sizes), self.dtype);
}

Metas infer_to_copy(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const MemoryFormat format = call.memory_format(arg::memory_format).value_or(MemoryFormat::Preserve);
  return copy_of(call, fresh_layout(self.layout, format), call.dtype(arg::dtype).value_or(self.dtype));
}

Metas infer_to_dtype(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const DType dtype = *call.dtype(arg::dtype);
  const MemoryFormat format = call.memory_format(arg::memory_format).value_or(MemoryFormat::Preserve);
  const bool fits = format == MemoryFormat::Preserve || format == suggested_format(self.layout);
  if (dtype == self.dtype && fits && !call.boolean(arg::copy)) return handed_on(call);
  return copy_of(call, fresh_layout(self.layout, format), dtype);
}

// A view of those sizes where the strides allow it, else a fresh tensor.
Metas reshaped(const Call& call, std::span<const int64_t> sizes) {
  const TensorMeta& self = call.tensor(arg::self);
  const Result<Dims> inferred = infer_sizes(sizes, self.layout.numel());
  if (!inferred) return in_op(call, inferred.error());
  if (view_strides(self.layout, *inferred)) {
    const Result<Layout> layout = view_layout(self.layout, *inferred);
    if (!layout) return in_op(call, layout.error());
    return alias_of(call, *layout);
  }
  return copy_of(call, contiguous_layout(*inferred), self.dtype);
}

Metas infer_reshape(const Call& call) { return reshaped(call, call.integers(arg::shape)); }

Metas infer_flatten(const Call& call) {
  const Layout& layout = call.tensor(arg::self).layout;
  const Result<int> first = wrap_dim(call.integer(arg::start_dim), layout.rank());
  const Result<int> last = wrap_dim(call.integer(arg::end_dim), layout.rank());
  if (!first) return in_op(call, first.error());
  if (!last) return in_op(call, last.error());
  if (*first > *last) return fail("{}: start_dim {} comes after end_dim {}", call.op().name, *first, *last);
  if (layout.rank() == 0) return reshaped(call, IntList{1});
  if (*first == *last) return handed_on(call);
  IntList sizes(layout.sizes.begin(), layout.sizes.begin() + *first);
  int64_t flat = 1;
  for (int i = *first; i <= *last; ++i) flat *= layout.sizes[i];
  sizes.push_back(flat);
  sizes.insert(sizes.end(), layout.sizes.begin() + *last + 1, layout.sizes.end());
  return reshaped(call, sizes);
}

// Copies where the result has memory of its own.
Result<void> reference_copy(const ReferenceCall& call) {
  if (call.output().storage != call.input(arg::self).storage)
    copy_elements(call.input(arg::self), call.output(), call.profile());
  return {};
}

Result<void> check_source(const Call& call) {
  const Dims& sizes = call.tensor(arg::self).layout.sizes;
  const Layout& source = call.tensor(arg::src).layout;
  if (broadcast_to(source, sizes)) return {};
  return fail("{}: a source of shape [{}] does not fit into [{}]", call.op().name, to_string(source.sizes),
              to_string(sizes));
}

Metas infer_copy(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  TRY_VOID(check_source(call));
  Layout layout = storage_clone_layout(self.layout);
  // A storage without elements is not cloned but made anew.
  if (layout.offset != 0 && self.layout.numel() == 0 && known_elements(call.metas(), self.storage) == 0)
    layout.offset = 0;
  return copy_of(call, layout, self.dtype);
}

Result<void> reference_functional_copy(const ReferenceCall& call) {
  clone_storage(call.input(arg::self), call.output(), call.profile());
  const Layout source = *broadcast_to(call.tensor(arg::src).layout, call.output().layout.sizes);
  copy_elements(with_layout(call.input(arg::src), source), call.output(), call.profile());
  return {};
}

// A tensor written to itself stays as it is; eager returns before it checks anything.
bool same_data(const TensorMeta& a, const TensorMeta& b) {
  return a.storage == b.storage && a.layout == b.layout && a.dtype == b.dtype;
}

Metas infer_copy_inplace(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (same_data(self, call.tensor(arg::src))) return alias_of(call, self.layout);
  TRY_VOID(check_source(call));
  TRY_VOID(check_writable(call, call.value(arg::self)));
  TRY_VOID(check_no_partial_overlap(call, call.value(arg::self), call.value(arg::src)));
  return alias_of(call, self.layout);
}

Result<void> reference_copy_inplace(const ReferenceCall& call) {
  if (same_data(call.tensor(arg::self), call.tensor(arg::src))) return {};
  const Layout source = *broadcast_to(call.tensor(arg::src).layout, call.output().layout.sizes);
  copy_elements(with_layout(call.input(arg::src), source), call.output(), call.profile());
  return {};
}

// A memory format that a tensor of that rank can have, or none.
Argument draw_memory_format(Choices& choices, int rank) {
  if (!choices.chance(30)) return Argument();
  if (rank == 4 && choices.chance(50)) return MemoryFormat::ChannelsLast;
  return choices.chance(50) ? MemoryFormat::Contiguous : MemoryFormat::Preserve;
}

// A dtype to convert to. Floats stay floats: what is cut to an integer across a breakpoint could not be judged.
DType draw_target(Choices& choices, DType from) {
  const DType drawn = draw_dtype(choices);
  return is_floating(from) && !is_floating(drawn) ? from : drawn;
}

Drawn sample_self(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self});
}

Drawn sample_dropout(const Op&, SampleContext& context) {
  const auto input = context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.numel() > 0; });
  if (!input) return std::nullopt;
  return std::vector<Argument>{*input, Scalar(0.5), Scalar(false)};
}

Drawn sample_clone(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  Argument format = draw_memory_format(context.choices(), context.meta(*self).layout.rank());
  return with_argument(op, with_defaults(op, {*self}), arg::memory_format, std::move(format));
}

Drawn sample_contiguous(const Op&, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const bool channels_last = context.meta(*self).layout.rank() == 4 && context.choices().chance(30);
  return std::vector<Argument>{*self, channels_last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous};
}

Drawn sample_convert(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  const DType dtype = context.choices().chance(60) ? draw_target(context.choices(), meta.dtype) : meta.dtype;
  Argument format = draw_memory_format(context.choices(), meta.layout.rank());
  return with_argument(op, with_defaults(op, {*self, dtype}), arg::memory_format, std::move(format));
}

Drawn sample_reshape(const Op&, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const Layout& layout = context.meta(*self).layout;
  if (layout.numel() == 0) return std::vector<Argument>{*self, IntList(layout.sizes.begin(), layout.sizes.end())};
  return std::vector<Argument>{*self, draw_factorisation(context.choices(), layout.numel())};
}

Drawn sample_flatten(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const int rank = context.meta(*self).layout.rank();
  if (rank < 2 || context.choices().chance(50)) return with_defaults(op, {*self});
  const int64_t first = context.choices().between(0, rank - 2);
  return std::vector<Argument>{*self, integer_argument(first),
                               integer_argument(context.choices().between(first + 1, rank - 1))};
}

// A source for `self` from other memory, of its shape or broadcast to it; floats are not cut to integers.
std::optional<ValueId> pick_source(SampleContext& context, ValueId self) {
  const TensorMeta& meta = context.meta(self);
  const auto fits = [&](const TensorMeta& source) {
    return source.storage != meta.storage && can_cast(source.dtype, meta.dtype) &&
           broadcast_to(source.layout, meta.layout.sizes).has_value();
  };
  const auto same_shape = context.pick([&](const Candidate&, const TensorMeta& source) {
    return fits(source) && source.layout.sizes == meta.layout.sizes;
  });
  if (same_shape && !context.choices().chance(30)) return same_shape;
  return context.pick([&](const Candidate&, const TensorMeta& source) { return fits(source); });
}

Drawn sample_copy(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  const auto source = pick_source(context, *self);
  if (!source) return std::nullopt;
  return with_defaults(op, {*self, *source});
}

}  // namespace

std::vector<OpDef> copy_family() {
  return {
      {.schema = "native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
       .infer = infer_dropout,
       .reference = reference_dropout,
       .sample = sample_dropout},
      {.schema = "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_clone,
       .reference = reference_copy,
       .sample = sample_clone},
      {.schema = "contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
       .infer = infer_contiguous,
       .reference = reference_copy,
       .sample = sample_contiguous},
      {.schema = "lift_fresh_copy(Tensor self) -> Tensor",
       .infer = infer_lift_fresh_copy,
       .reference = reference_copy,
       .sample = sample_self},
      {.schema = "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_to_copy,
       .reference = reference_copy,
       .sample = sample_convert},
      {.schema = "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
                 "MemoryFormat? memory_format=None) -> Tensor(a)",
       .infer = infer_to_dtype,
       .reference = reference_copy,
       .sample = sample_convert},
      {.schema = "reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
       .infer = infer_reshape,
       .reference = reference_copy,
       .sample = sample_reshape},
      {.schema = "flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
       .infer = infer_flatten,
       .reference = reference_copy,
       .sample = sample_flatten},
      {.schema = "copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
       .infer = infer_copy,
       .reference = reference_functional_copy,
       .sample = sample_copy},
      {.schema = "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
       .infer = infer_copy_inplace,
       .reference = reference_copy_inplace,
       .sample = sample_inplace_twin,
       .functional = "aten.copy.default"},
  };
}

}  // namespace parallax
