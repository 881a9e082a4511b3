// Fill: tensors of one number, of a range, and writes of one number into all or some elements.
#include <algorithm>
#include <climits>
#include <cmath>

#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Sets one element to a number, which implementations may or may not round to the dtype.
void set_number(const BallView& view, int64_t element, const Scalar& number, const Profile& profile) {
  if (view.floating()) {
    view.ball(element) = BallMath(view.dtype, profile).scalar(as_double(number));
  } else {
    view.integer(element) = {number_as(view.dtype, number), Undecided::No};
  }
}

void fill(const ReferenceCall& call, const Scalar& number) {
  const BallView& output = call.output();
  for_each_element(output.layout, [&](int64_t element) { set_number(output, element, number, call.profile()); });
}

// Filling an expanded tensor is allowed: its elements all become one number.
std::vector<ResultMeta> whole_self(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  return {ResultMeta{self.dtype, self.layout, call.value(0)}};
}

Result<std::vector<ResultMeta>> infer_fill(const Call& call) {
  TRY_VOID(check_fits(call, call.scalar(1), call.tensor(0).dtype));
  return whole_self(call);
}

Result<void> reference_fill(const ReferenceCall& call) {
  fill(call, call.scalar(1));
  return {};
}

Result<std::vector<ResultMeta>> infer_zero(const Call& call) { return whole_self(call); }

Result<void> reference_zero(const ReferenceCall& call) {
  fill(call, int64_t{0});
  return {};
}

// masked_fill_ and masked_fill

Result<void> check_masked(const Call& call) {
  if (call.tensor(1).dtype != DType::Bool)
    return refuse("{}: the mask is {}, not bool", call.op().name, name(call.tensor(1).dtype));
  return check_fits(call, call.scalar(2), call.tensor(0).dtype);
}

Result<std::vector<ResultMeta>> infer_masked_fill(const Call& call) {
  TRY_VOID(check_masked(call));
  const DType dtype = call.tensor(0).dtype;
  TRY(const Layout layout, pointwise_layout(call, {0, 1}, dtype));
  // Eager clones self into row-major order before it writes.
  return fresh_result(dtype, contiguous_layout(layout.sizes));
}

Result<std::vector<ResultMeta>> infer_masked_fill_inplace(const Call& call) {
  TRY_VOID(check_masked(call));
  if (!broadcast_to(call.tensor(1).layout, call.tensor(0).layout.sizes)) {
    return refuse("{}: a mask of shape [{}] does not fit [{}]", call.op().name, to_string(call.tensor(1).layout.sizes),
                  to_string(call.tensor(0).layout.sizes));
  }
  TRY_VOID(check_no_partial_overlap(call, call.value(0), call.value(1)));
  return whole_self(call);
}

// Writes the number where the mask is true, and what holds either way where it is undecided.
void fill_masked(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& mask = call.input(1);
  const std::vector<int64_t> chosen = elements_of(*broadcast_to(mask.layout, output.layout.sizes));
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall chooser = mask.integer(chosen[i]);
    if (chooser.undecided == Undecided::No) {
      if (chooser.value) set_number(output, elements[i], call.scalar(2), call.profile());
    } else if (output.floating()) {
      const Ball before = output.ball(elements[i]);
      set_number(output, elements[i], call.scalar(2), call.profile());
      output.ball(elements[i]) = hull(before, output.ball(elements[i]));
    } else {
      IntegerBall& element = output.integer(elements[i]);
      if (element.value != number_as(output.dtype, call.scalar(2))) element.undecided = chooser.undecided;
    }
  }
}

Result<void> reference_masked_fill_inplace(const ReferenceCall& call) {
  fill_masked(call);
  return {};
}

Result<void> reference_masked_fill(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& self = call.input(0);
  const std::vector<int64_t> from = elements_of(*broadcast_to(self.layout, output.layout.sizes));
  const std::vector<int64_t> to = elements_of(output.layout);
  for (std::size_t i = 0; i < to.size(); ++i) convert_element(self, from[i], output, to[i], call.profile());
  fill_masked(call);
  return {};
}

// arange

DType arange_dtype(const Call& call) {
  if (const std::optional<DType> dtype = call.dtype(3)) return *dtype;
  for (int i = 0; i < 3; ++i) {
    if (is_floating(call.scalar(i))) return DType::F32;
  }
  return DType::I64;
}

// How many elements; eager cuts the numbers to integers first for an i64 result only.
double arange_length(const Call& call, DType dtype) {
  if (dtype != DType::I64) return std::ceil((call.real(1) - call.real(0)) / call.real(2));
  const int64_t start = as_integer(call.scalar(0));
  const int64_t end = as_integer(call.scalar(1));
  const int64_t step = as_integer(call.scalar(2));
  return static_cast<double>((end - start + step - (step > 0 ? 1 : -1)) / step);
}

Result<std::vector<ResultMeta>> infer_arange(const Call& call) {
  // Over this the number of elements is out of reach, and integers could overflow.
  constexpr double limit = 0x1p52;
  const DType dtype = arange_dtype(call);
  const std::string& op = call.op().name;
  if (dtype == DType::Bool) return refuse("{} does not make bool", op);
  for (int i = 0; i < 3; ++i) {
    if (!(std::fabs(call.real(i)) < limit)) return refuse("{}: {} is out of range", op, call.real(i));
  }
  const bool cut = dtype == DType::I64;
  const double step = cut ? std::trunc(call.real(2)) : call.real(2);
  const double span = cut ? std::trunc(call.real(1)) - std::trunc(call.real(0)) : call.real(1) - call.real(0);
  if (step == 0) return refuse("{}: the step is 0", op);
  if (span != 0 && (span > 0) != (step > 0)) return refuse("{}: the bounds contradict the step's sign", op);
  const double length = arange_length(call, dtype);
  if (length > limit) return refuse("{}: {} elements", op, length);
  return fresh_result(dtype, contiguous_layout({static_cast<int64_t>(length)}));
}

// Element i of a range of floats: start + i * step, in any of the ways that vectorised loops compute it.
Ball arange_ball(const BallMath& math, double start, double step, double i) {
  const Ball first = math.scalar(start);
  const Ball distance = math.scalar(step);
  const double reach = std::fabs(start) + std::fabs(i * step);
  if (first.is_exact() && distance.is_exact()) {
    const int lowest = std::min(start == 0 ? INT_MAX : lowest_bit(start), lowest_bit(step));
    if (reach <= std::ldexp(1.0, lowest + info(math.dtype()).precision)) return math.rounded(start + i * step, 0, true);
  }
  const double error = math.rounding(std::fabs(i * step)) + 2 * math.rounding(reach);
  return math.with_error(start + i * step, first.radius + i * distance.radius, error);
}

Result<void> reference_arange(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  for (int64_t i = 0; i < output.layout.numel(); ++i) {
    if (output.floating()) {
      output.ball(i) = arange_ball(math, call.real(0), call.real(2), static_cast<double>(i));
    } else {
      output.integer(i) = {wrap_to(output.dtype, as_integer(call.scalar(0)) + i * as_integer(call.scalar(2))),
                           Undecided::No};
    }
  }
  return {};
}

// full, and what is like a tensor

Result<std::vector<ResultMeta>> infer_full(const Call& call) {
  const Scalar number = call.scalar(1);
  const DType dtype = call.dtype(2).value_or(type_of(number).dtype);
  TRY_VOID(check_fits(call, number, dtype));
  TRY(const Dims sizes, to_sizes(call.integers(0)));
  return fresh_result(dtype, contiguous_layout(sizes));
}

// `first` is the parameter that holds the dtype; the memory format comes four later.
Result<std::vector<ResultMeta>> infer_like(const Call& call, int first) {
  const TensorMeta& self = call.tensor(0);
  TRY(const Layout layout, fresh_layout(self.layout, call.memory_format(first + 4).value_or(MemoryFormat::Preserve)));
  return fresh_result(call.dtype(first).value_or(self.dtype), layout);
}

Result<std::vector<ResultMeta>> infer_plain_like(const Call& call) { return infer_like(call, 1); }

Result<std::vector<ResultMeta>> infer_full_like(const Call& call) {
  TRY(const std::vector<ResultMeta> results, infer_like(call, 2));
  TRY_VOID(check_fits(call, call.scalar(1), results[0].dtype));
  return results;
}

Result<void> reference_ones(const ReferenceCall& call) {
  fill(call, int64_t{1});
  return {};
}

std::optional<std::vector<Argument>> sample_fill(const Op& op, SampleContext& context) {
  const auto self = pick_writable(context);
  if (!self) return std::nullopt;
  if (op.schema.parameters.size() == 1) return std::vector<Argument>{*self};
  return std::vector<Argument>{*self, draw_scalar(context.choices(), context.meta(*self).dtype)};
}

std::optional<std::vector<Argument>> sample_masked_fill(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  const auto mask = pick_second(context, *self, [](DType dtype) { return dtype == DType::Bool; }, true);
  if (!mask) return std::nullopt;
  return std::vector<Argument>{*self, *mask, draw_scalar(context.choices(), context.meta(*self).dtype)};
}

std::optional<std::vector<Argument>> sample_arange(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const int64_t start = choices.between(0, 3);
  const int64_t step = choices.between(1, 3);
  const int64_t end = start + step * choices.between(1, 6);
  std::vector<Argument> arguments = with_defaults(op, {Scalar(start), Scalar(end), Scalar(step)});
  const DType dtype = draw_dtype(choices);
  return dtype == DType::Bool ? arguments : with_argument(op, std::move(arguments), "dtype", dtype);
}

// The shape of a tensor of the pool, so that the result can be combined with it.
std::optional<std::vector<Argument>> sample_full(const Op& op, SampleContext& context) {
  const auto like = pick_tensor(context);
  if (!like) return std::nullopt;
  const Dims& sizes = context.meta(*like).layout.sizes;
  const DType dtype = draw_dtype(context.choices());
  std::vector<Argument> arguments =
      with_defaults(op, {IntList(sizes.begin(), sizes.end()), draw_scalar(context.choices(), dtype)});
  return with_argument(op, std::move(arguments), "dtype", dtype);
}

std::optional<std::vector<Argument>> sample_like(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  std::vector<Argument> given = {*self};
  if (op.schema.index_of("fill_value") >= 0) given.push_back(draw_scalar(context.choices(), context.meta(*self).dtype));
  return with_defaults(op, std::move(given));
}

}  // namespace

std::vector<OpDef> fill_family() {
  return {
      {.schema = "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
       .infer = infer_fill,
       .reference = reference_fill,
       .sample = sample_fill},
      {.schema = "zero_(Tensor(a!) self) -> Tensor(a!)",
       .infer = infer_zero,
       .reference = reference_zero,
       .sample = sample_fill},
      {.schema = "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
       .infer = infer_masked_fill,
       .reference = reference_masked_fill,
       .sample = sample_masked_fill},
      {.schema = "masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)",
       .infer = infer_masked_fill_inplace,
       .reference = reference_masked_fill_inplace,
       .sample = sample_masked_fill,
       .functional = "aten.masked_fill.Scalar"},
      {.schema =
           "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, "
           "Device? device=None, bool? pin_memory=None) -> Tensor",
       .infer = infer_arange,
       .reference = reference_arange,
       .sample = sample_arange},
      {.schema = "full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, "
                 "bool? pin_memory=None) -> Tensor",
       .infer = infer_full,
       .reference = reference_fill,
       .sample = sample_full},
      {.schema = "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, "
                 "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_full_like,
       .reference = reference_fill,
       .sample = sample_like},
      {.schema = "zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                 "pin_memory=None, "
                 "MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_plain_like,
       .reference = reference_zero,
       .sample = sample_like},
      {.schema = "ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                 "pin_memory=None, "
                 "MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_plain_like,
       .reference = reference_ones,
       .sample = sample_like},
  };
}

}  // namespace parallax
