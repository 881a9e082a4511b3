// Full: new tensors of one number, of the shape of another, and of a range.
#include <algorithm>
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

// The numbers that an overload leaves out are those of 0, 1, … end.
struct ArangeNumbers {
  Scalar start = int64_t{0};
  Scalar end;
  Scalar step = int64_t{1};
};

ArangeNumbers arange_numbers(const Call& call) {
  ArangeNumbers numbers{.end = call.scalar(arg::end)};
  if (call.takes(arg::start)) numbers.start = call.scalar(arg::start);
  if (call.takes(arg::step)) numbers.step = call.scalar(arg::step);
  return numbers;
}

DType arange_dtype(const Call& call, const ArangeNumbers& numbers) {
  if (const std::optional<DType> dtype = call.dtype(arg::dtype)) return *dtype;
  return is_floating(numbers.start) || is_floating(numbers.end) || is_floating(numbers.step) ? DType::F32 : DType::I64;
}

// How many elements; eager cuts the numbers to integers first for an i64 result only.
double arange_length(const ArangeNumbers& numbers, DType dtype) {
  if (dtype != DType::I64) {
    return std::ceil((as_double(numbers.end) - as_double(numbers.start)) / as_double(numbers.step));
  }
  const int64_t step = as_integer(numbers.step);
  const int64_t span = as_integer(numbers.end) - as_integer(numbers.start);
  return static_cast<double>((span + step - (step > 0 ? 1 : -1)) / step);
}

Result<std::vector<ResultMeta>> infer_arange(const Call& call) {
  // Over this the number of elements is out of reach, and integers could overflow.
  constexpr double limit = 0x1p52;
  const ArangeNumbers numbers = arange_numbers(call);
  const DType dtype = arange_dtype(call, numbers);
  const std::string& op = call.op().name;
  if (dtype == DType::Bool) return refuse("{} does not make bool", op);
  for (const Scalar& number : {numbers.start, numbers.end, numbers.step}) {
    if (!(std::fabs(as_double(number)) < limit)) return refuse("{}: {} is out of range", op, as_double(number));
  }
  const auto counted = [&](const Scalar& number) {
    return dtype == DType::I64 ? std::trunc(as_double(number)) : as_double(number);
  };
  const double step = counted(numbers.step);
  const double span = counted(numbers.end) - counted(numbers.start);
  if (step == 0) return refuse("{}: the step is 0", op);
  if (span != 0 && (span > 0) != (step > 0)) return refuse("{}: the bounds contradict the step's sign", op);
  const double length = arange_length(numbers, dtype);
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
  const ArangeNumbers numbers = arange_numbers(call);
  for (int64_t i = 0; i < output.layout.numel(); ++i) {
    if (output.floating()) {
      output.ball(i) = arange_ball(math, as_double(numbers.start), as_double(numbers.step), static_cast<double>(i));
    } else {
      const int64_t element = as_integer(numbers.start) + i * as_integer(numbers.step);
      output.integer(i) = {wrap_to(output.dtype, element), Undecided::No};
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
  const bool starts = op.schema.index_of(arg::start) >= 0;
  const bool steps = op.schema.index_of(arg::step) >= 0;
  const int64_t start = starts ? choices.between(0, 3) : 0;
  const int64_t step = steps ? choices.between(1, 3) : 1;
  const int64_t end = start + step * choices.between(1, 6);
  std::vector<Argument> given;
  if (starts) given.push_back(Scalar(start));
  given.push_back(Scalar(end));
  if (steps) given.push_back(Scalar(step));
  std::vector<Argument> arguments = with_defaults(op, std::move(given));
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
      {.schema = "arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                 "pin_memory=None) -> Tensor",
       .infer = infer_arange,
       .reference = reference_arange,
       .sample = sample_arange},
      {.schema = "arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                 "device=None, bool? pin_memory=None) -> Tensor",
       .infer = infer_arange,
       .reference = reference_arange,
       .sample = sample_arange},
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
