// Full: new tensors of one number, of the shape of another, and of a range.
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>

#include "ops/ball_sum.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/number.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// arange

constexpr std::array arange_numbers = {arg::start, arg::end, arg::step};

DType arange_dtype(const Call& call) {
  if (const std::optional<DType> dtype = call.dtype(arg::dtype)) return *dtype;
  for (const arg number : arange_numbers) {
    if (is_floating(call.scalar(number))) return DType::F32;
  }
  return DType::I64;
}

// How many elements; eager cuts the numbers to integers first for an i64 result only.
double arange_length(const Call& call, DType dtype) {
  if (dtype != DType::I64) return std::ceil((call.real(arg::end) - call.real(arg::start)) / call.real(arg::step));
  const int64_t start = as_integer(call.scalar(arg::start));
  const int64_t end = as_integer(call.scalar(arg::end));
  const int64_t step = as_integer(call.scalar(arg::step));
  return static_cast<double>((end - start + step - (step > 0 ? 1 : -1)) / step);
}

Result<std::vector<ResultMeta>> infer_arange(const Call& call) {
  // Over this the number of elements is out of reach, and integers could overflow.
  constexpr double limit = 0x1p52;
  const DType dtype = arange_dtype(call);
  const std::string& op = call.op().name;
  if (dtype == DType::Bool) return refuse("{} does not make bool", op);
  for (const arg number : arange_numbers) {
    if (!(std::fabs(call.real(number)) < limit)) return refuse("{}: {} is out of range", op, call.real(number));
  }
  const bool cut = dtype == DType::I64;
  const double step = cut ? std::trunc(call.real(arg::step)) : call.real(arg::step);
  const double span = cut ? std::trunc(call.real(arg::end)) - std::trunc(call.real(arg::start))
                          : call.real(arg::end) - call.real(arg::start);
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
      output.ball(i) = arange_ball(math, call.real(arg::start), call.real(arg::step), static_cast<double>(i));
    } else {
      output.integer(i) = {
          wrap_to(output.dtype, as_integer(call.scalar(arg::start)) + i * as_integer(call.scalar(arg::step))),
          Undecided::No};
    }
  }
  return {};
}

// full, and what is like a tensor

Result<std::vector<ResultMeta>> infer_full(const Call& call) {
  const Scalar number = call.scalar(arg::fill_value);
  const DType dtype = call.dtype(arg::dtype).value_or(type_of(number).dtype);
  TRY_VOID(check_fits(call, number, opmath_type(dtype)));
  TRY(const Dims sizes, to_sizes(call.integers(arg::size)));
  return fresh_result(dtype, contiguous_layout(sizes));
}

// A 0-d tensor of one number: f32 if nothing else is asked for, whatever the number is.
Result<std::vector<ResultMeta>> infer_scalar_tensor(const Call& call) {
  const DType dtype = call.dtype(arg::dtype).value_or(DType::F32);
  TRY_VOID(check_fits(call, call.scalar(arg::s), opmath_type(dtype)));
  return fresh_result(dtype, Layout());
}

Result<void> reference_scalar_tensor(const ReferenceCall& call) {
  fill_with(call, call.scalar(arg::s));
  return {};
}

Result<std::vector<ResultMeta>> infer_like(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  TRY(const Layout layout,
      fresh_layout(self.layout, call.memory_format(arg::memory_format).value_or(MemoryFormat::Preserve)));
  return fresh_result(call.dtype(arg::dtype).value_or(self.dtype), layout);
}

Result<std::vector<ResultMeta>> infer_full_like(const Call& call) {
  TRY(const std::vector<ResultMeta> results, infer_like(call));
  TRY_VOID(check_fits(call, call.scalar(arg::fill_value), opmath_type(results[0].dtype)));
  return results;
}

Result<void> reference_full(const ReferenceCall& call) {
  fill_with(call, call.scalar(arg::fill_value));
  return {};
}

Result<void> reference_zeros(const ReferenceCall& call) {
  fill_with(call, int64_t{0});
  return {};
}

Result<void> reference_ones(const ReferenceCall& call) {
  fill_with(call, int64_t{1});
  return {};
}

std::optional<std::vector<Argument>> sample_arange(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const int64_t start = choices.between(0, 3);
  const int64_t step = choices.between(1, 3);
  const int64_t end = start + step * choices.between(1, 6);
  std::vector<Argument> arguments = with_defaults(op, {Scalar(start), Scalar(end), Scalar(step)});
  const DType dtype = draw_dtype(choices);
  return dtype == DType::Bool ? arguments : with_argument(op, std::move(arguments), arg::dtype, dtype);
}

// The shape of a tensor of the pool, so that the result can be combined with it.
std::optional<std::vector<Argument>> sample_full(const Op& op, SampleContext& context) {
  const auto like = pick_tensor(context);
  if (!like) return std::nullopt;
  const Dims& sizes = context.meta(*like).layout.sizes;
  const DType dtype = draw_dtype(context.choices());
  std::vector<Argument> arguments =
      with_defaults(op, {IntList(sizes.begin(), sizes.end()), draw_scalar(context.choices(), dtype)});
  return with_argument(op, std::move(arguments), arg::dtype, dtype);
}

std::optional<std::vector<Argument>> sample_scalar_tensor(const Op& op, SampleContext& context) {
  const DType dtype = draw_dtype(context.choices());
  return with_argument(op, with_defaults(op, {draw_scalar(context.choices(), dtype)}), arg::dtype, dtype);
}

std::optional<std::vector<Argument>> sample_like(const Op& op, SampleContext& context) {
  const auto self = pick_tensor(context);
  if (!self) return std::nullopt;
  std::vector<Argument> given = {*self};
  if (op.schema.index_of(arg::fill_value) >= 0)
    given.push_back(draw_scalar(context.choices(), context.meta(*self).dtype));
  return with_defaults(op, std::move(given));
}

}  // namespace

std::vector<OpDef> full_family() {
  return {
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
       .reference = reference_full,
       .sample = sample_full},
      {.schema = "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, "
                 "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_full_like,
       .reference = reference_full,
       .sample = sample_like},
      {.schema = "zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                 "pin_memory=None, "
                 "MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_like,
       .reference = reference_zeros,
       .sample = sample_like},
      {.schema = "ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                 "pin_memory=None, "
                 "MemoryFormat? memory_format=None) -> Tensor",
       .infer = infer_like,
       .reference = reference_ones,
       .sample = sample_like},
      {.schema = "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                 "bool? pin_memory=None) -> Tensor",
       .infer = infer_scalar_tensor,
       .reference = reference_scalar_tensor,
       .sample = sample_scalar_tensor},
  };
}

}  // namespace parallax
