// Fill: one number, or one element of a tensor, put into all elements or into those under a mask.
#include <algorithm>

#include "ops/cast.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/inplace.h"
#include "ops/number.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// Filling an expanded tensor is allowed: its elements all become one number.
std::vector<ResultMeta> whole_self(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  return {ResultMeta{self.dtype, self.layout, call.value(arg::self)}};
}

Result<std::vector<ResultMeta>> infer_fill(const Call& call) {
  TRY_VOID(check_fits(call, call.scalar(arg::value), opmath_type(call.tensor(arg::self).dtype)));
  return whole_self(call);
}

Result<void> reference_fill(const ReferenceCall& call) {
  fill_with(call, call.scalar(arg::value));
  return {};
}

// The functional twin fills an empty_like of self, whose elements it does not read.
Result<std::vector<ResultMeta>> infer_filled(const Call& call) {
  TRY_VOID(check_fits(call, call.scalar(arg::value), opmath_type(call.tensor(arg::self).dtype)));
  return fresh_result(call.tensor(arg::self).dtype,
                      *fresh_layout(call.tensor(arg::self).layout, MemoryFormat::Preserve));
}

// fill by a tensor: a 0-d one, converted silently.

Result<void> check_zero_dim(const Call& call) {
  const int rank = call.tensor(arg::value).layout.rank();
  if (rank != 0) return refuse("{}: the value has {} dims, not 0", call.op().name, rank);
  return {};
}

Result<std::vector<ResultMeta>> infer_fill_tensor(const Call& call) {
  TRY_VOID(check_zero_dim(call));
  TRY_VOID(check_writable(call, call.value(arg::self)));
  return whole_self(call);
}

Result<std::vector<ResultMeta>> infer_filled_tensor(const Call& call) {
  TRY_VOID(check_zero_dim(call));
  return fresh_result(call.tensor(arg::self).dtype,
                      *fresh_layout(call.tensor(arg::self).layout, MemoryFormat::Preserve));
}

Result<void> reference_fill_tensor(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& value = call.input(arg::value);
  // The value may be an element of what is filled.
  BallStorage storage(output.dtype, 1);
  const BallView filling{&storage, output.dtype, Layout()};
  convert_element(value, value.layout.offset, filling, 0, call.profile());
  for_each_element(output.layout,
                   [&](int64_t element) { convert_element(filling, 0, output, element, call.profile()); });
  return {};
}

Result<std::vector<ResultMeta>> infer_zero(const Call& call) { return whole_self(call); }

Result<std::vector<ResultMeta>> infer_zeroed(const Call& call) {
  return fresh_result(call.tensor(arg::self).dtype,
                      *fresh_layout(call.tensor(arg::self).layout, MemoryFormat::Preserve));
}

Result<void> reference_zero(const ReferenceCall& call) {
  fill_with(call, int64_t{0});
  return {};
}

// masked_fill_ and masked_fill, by a number or a 0-d tensor

Result<void> check_masked(const Call& call) {
  if (call.tensor(arg::mask).dtype != DType::Bool)
    return refuse("{}: the mask is {}, not bool", call.op().name, name(call.tensor(arg::mask).dtype));
  if (call.is_tensor(arg::value)) return check_zero_dim(call);
  return check_fits(call, call.scalar(arg::value), call.tensor(arg::self).dtype);
}

Result<std::vector<ResultMeta>> infer_masked_fill(const Call& call) {
  TRY_VOID(check_masked(call));
  const DType dtype = call.tensor(arg::self).dtype;
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::mask}, dtype));
  // Eager clones self into row-major order before it writes.
  return fresh_result(dtype, contiguous_layout(layout.sizes));
}

Result<std::vector<ResultMeta>> infer_masked_fill_inplace(const Call& call) {
  TRY_VOID(check_masked(call));
  if (!broadcast_to(call.tensor(arg::mask).layout, call.tensor(arg::self).layout.sizes)) {
    return refuse("{}: a mask of shape [{}] does not fit [{}]", call.op().name,
                  to_string(call.tensor(arg::mask).layout.sizes), to_string(call.tensor(arg::self).layout.sizes));
  }
  TRY_VOID(check_no_partial_overlap(call, call.value(arg::self), call.value(arg::mask)));
  return whole_self(call);
}

// Puts what an element is filled with into `filling`. Eager reads a tensor's value as a number, which it checks.
Result<void> read_filling(const ReferenceCall& call, const BallView& filling) {
  if (!call.is_tensor(arg::value)) {
    set_number(filling, 0, call.scalar(arg::value), call.profile());
    return {};
  }
  const BallView& value = call.input(arg::value);
  const int64_t element = value.layout.offset;
  const bool exact =
      value.floating() ? value.ball(element).is_exact() : value.integer(element).undecided == Undecided::No;
  if (exact) {
    const Scalar number = value.floating() ? Scalar(value.ball(element).mid) : Scalar(value.integer(element).value);
    TRY_VOID(check_fits(call, number, filling.dtype));
  }
  convert_element(value, element, filling, 0, call.profile());
  return {};
}

// Writes the filling where the mask is true, and what holds either way where it is undecided.
void fill_masked(const ReferenceCall& call, const BallView& filling) {
  const BallView& output = call.output();
  const BallView& mask = call.input(arg::mask);
  const std::vector<int64_t> chosen = elements_of(*broadcast_to(mask.layout, output.layout.sizes));
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall chooser = mask.integer(chosen[i]);
    if (chooser.undecided == Undecided::No) {
      if (chooser.value) convert_element(filling, 0, output, elements[i], call.profile());
    } else if (output.floating()) {
      output.ball(elements[i]) = hull(output.ball(elements[i]), filling.ball(0));
    } else {
      IntegerBall& element = output.integer(elements[i]);
      const IntegerBall& other = filling.integer(0);
      const bool same = element.decided() && other.decided() && element.value == other.value;
      if (!same) {
        element = IntegerBall::between(std::min(element.lowest(), other.lowest()),
                                       std::max(element.highest(), other.highest()), element.value, chooser.undecided);
      }
    }
  }
}

Result<void> reference_masked_fill_inplace(const ReferenceCall& call) {
  BallStorage storage(call.output().dtype, 1);
  const BallView filling{&storage, call.output().dtype, Layout()};
  TRY_VOID(read_filling(call, filling));
  fill_masked(call, filling);
  return {};
}

Result<void> reference_masked_fill(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& self = call.input(arg::self);
  const std::vector<int64_t> from = elements_of(*broadcast_to(self.layout, output.layout.sizes));
  const std::vector<int64_t> to = elements_of(output.layout);
  for (std::size_t i = 0; i < to.size(); ++i) convert_element(self, from[i], output, to[i], call.profile());
  return reference_masked_fill_inplace(call);
}

std::optional<ValueId> pick_zero_dim(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta& meta) { return meta.layout.rank() == 0; });
}

// What follows the tensor (and the mask): nothing, a number or a 0-d tensor.
std::optional<std::vector<Argument>> with_value(const Op& op, SampleContext& context, std::vector<Argument> arguments) {
  if (arguments.size() == op.schema.parameters.size()) return arguments;
  const ValueId self = std::get<ValueId>(arguments.front());
  if (takes_scalar(op, arg::value)) {
    arguments.emplace_back(draw_scalar(context.choices(), context.meta(self).dtype));
    return arguments;
  }
  const auto value = pick_zero_dim(context);
  if (!value) return std::nullopt;
  arguments.emplace_back(*value);
  return arguments;
}

std::optional<std::vector<Argument>> sample_fill(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  return with_value(op, context, {*self});
}

std::optional<std::vector<Argument>> sample_masked_fill(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  const auto mask = pick_second(context, *self, [](DType dtype) { return dtype == DType::Bool; }, true);
  if (!mask) return std::nullopt;
  return with_value(op, context, {*self, *mask});
}

}  // namespace

std::vector<OpDef> fill_family() {
  return {
      {.schema = "fill.Scalar(Tensor self, Scalar value) -> Tensor",
       .infer = infer_filled,
       .reference = reference_fill,
       .sample = sample_fill},
      {.schema = "fill.Tensor(Tensor self, Tensor value) -> Tensor",
       .infer = infer_filled_tensor,
       .reference = reference_fill_tensor,
       .sample = sample_fill},
      {.schema = "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
       .infer = infer_fill,
       .reference = reference_fill,
       .sample = sample_fill,
       .functional = "aten.fill.Scalar"},
      {.schema = "fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)",
       .infer = infer_fill_tensor,
       .reference = reference_fill_tensor,
       .sample = sample_fill,
       .functional = "aten.fill.Tensor"},
      {.schema = "zero(Tensor self) -> Tensor",
       .infer = infer_zeroed,
       .reference = reference_zero,
       .sample = sample_fill},
      {.schema = "zero_(Tensor(a!) self) -> Tensor(a!)",
       .infer = infer_zero,
       .reference = reference_zero,
       .sample = sample_fill,
       .functional = "aten.zero.default"},
      {.schema = "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
       .infer = infer_masked_fill,
       .reference = reference_masked_fill,
       .sample = sample_masked_fill},
      {.schema = "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
       .infer = infer_masked_fill,
       .reference = reference_masked_fill,
       .sample = sample_masked_fill},
      {.schema = "masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)",
       .infer = infer_masked_fill_inplace,
       .reference = reference_masked_fill_inplace,
       .sample = sample_masked_fill,
       .functional = "aten.masked_fill.Scalar"},
      {.schema = "masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)",
       .infer = infer_masked_fill_inplace,
       .reference = reference_masked_fill_inplace,
       .sample = sample_masked_fill,
       .functional = "aten.masked_fill.Tensor"},
  };
}

}  // namespace parallax
