// Quantization choice: the scale and the zero point that the numbers of a tensor, or of each of its rows, ask for.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/quantization_plan.h"
#include "ops/sample.h"

namespace parallax {
namespace {

struct Extremes {
  RealRange least;
  RealRange most;
};

// The least and the largest number, and 0 with them. Where NaN may be dropped, any number may be left.
Extremes extremes_with_zero(const ReferenceCall& call, const RangeMath& math, std::span<const int64_t> elements) {
  Extremes found{RealRange::exact(0), RealRange::exact(0)};
  for (const int64_t element : elements) {
    const Ball& ball = call.input(arg::input).ball(element);
    RealRange x = RealRange::of(ball);
    if (can_be_nan(ball) && call.allows(Form::DroppedNan)) x.undecided = Undecided::Unbounded;
    found.least = math.minimum(found.least, x);
    found.most = math.maximum(found.most, x);
  }
  return found;
}

RealRange negated(const RealRange& x) { return {-x.high, -x.low, -x.value, x.may_nan, x.undecided}; }
RealRange number(const RangeMath& math, double x) { return math.rounded(RealRange::exact(x)); }

// --- of the whole tensor ---

Result<std::vector<ResultMeta>> infer_of_tensor(const Call& call) {
  const DType input = call.tensor(arg::input).dtype;
  if (!is_floating(input) || input == DType::F64)
    return refuse("{}: expecting input to have dtype f32, f16 or bf16, but got {}", call.op().name, name(input));
  const int64_t low = call.integer(arg::quant_min);
  const int64_t high = call.integer(arg::quant_max);
  const DType dtype = *call.dtype(arg::dtype);
  TRY_VOID(check_bounds(call, 0, 0, dtype));
  if (low > 0 || high < 0) return refuse("{}: the quantization range must include 0", call.op().name);
  if (low >= high) return refuse("{}: quant_min must be less than quant_max", call.op().name);
  if (call.tensor(arg::input).layout.numel() == 0) return refuse("{}: the input is empty", call.op().name);
  const Layout one = contiguous_layout({1});
  return std::vector{ResultMeta{DType::F64, one, ValueId()}, ResultMeta{DType::I64, one, ValueId()}};
}

// The steps after the first division are of f32: eps is.
RealRange at_least_eps(const ReferenceCall& call, const RangeMath& single, const RealRange& scale) {
  return single.maximum(scale, number(single, call.real(arg::eps)));
}

Result<void> reference_of_tensor(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const RangeMath own(input.dtype, call.profile());
  const RangeMath single(DType::F32, call.profile());
  const Extremes extremes = extremes_with_zero(call, own, elements_of(input.layout));
  const int64_t low = call.integer(arg::quant_min);
  const int64_t high = call.integer(arg::quant_max);
  const RealRange steps = number(single, static_cast<double>(high - low));
  const RealRange scale = at_least_eps(call, single, own.div(own.sub(extremes.most, extremes.least), steps));
  call.output().ball(0) = scale.to_ball();
  const IntegerBall offset = single.whole(single.div(extremes.least, scale)).to_integer(DType::I32);
  const IntegerBall zero_point = difference_of({low, Undecided::No}, offset, DType::I32);
  IntegerBall& result = call.outputs()[1].integer(0);
  if (!zero_point.decided() && !zero_point.is_interval()) {
    // Whatever it was, it is clamped.
    result = IntegerBall::between(low, high, low, zero_point.undecided);
    return {};
  }
  result = IntegerBall::between(std::clamp(zero_point.lowest(), low, high), std::clamp(zero_point.highest(), low, high),
                                std::clamp(zero_point.value, low, high), Undecided::InexactToInteger);
  return {};
}

Result<void> reference_symmetric(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const RangeMath own(input.dtype, call.profile());
  const RangeMath single(DType::F32, call.profile());
  const Extremes extremes = extremes_with_zero(call, own, elements_of(input.layout));
  const RealRange most = own.maximum(negated(extremes.least), extremes.most);
  const auto steps = static_cast<double>(call.integer(arg::quant_max) - call.integer(arg::quant_min));
  call.output().ball(0) = at_least_eps(call, single, own.div(most, number(single, steps / 2))).to_ball();
  call.outputs()[1].integer(0) = {call.dtype(arg::dtype) == DType::U8 ? 128 : 0, Undecided::No};
  return {};
}

// --- of each row ---

Result<Layout> layout_of_rows(const Call& call) {
  const TensorMeta& input = call.tensor(arg::input);
  if (!is_floating(input.dtype)) return refuse("{}: an input of {} is not run", call.op().name, name(input.dtype));
  if (input.layout.rank() == 0) return contiguous_layout({});
  if (input.layout.sizes.back() == 0) return refuse("{}: a row is empty", call.op().name);
  Dims sizes = input.layout.sizes;
  sizes[sizes.size() - 1] = 1;
  return contiguous_layout(sizes);
}

// Calls visit(row, elements) for each row of the input.
template <class Visit>
void for_each_row(const BallView& input, Visit&& visit) {
  const std::vector<int64_t> elements = elements_of(input.layout);
  const auto width = static_cast<std::size_t>(input.layout.rank() == 0 ? 1 : input.layout.sizes.back());
  for (std::size_t row = 0; row * width < elements.size(); ++row)
    visit(row, std::span(elements).subspan(row * width, width));
}

Result<std::vector<ResultMeta>> infer_asymmetric(const Call& call) {
  TRY(const Layout layout, layout_of_rows(call));
  return std::vector{ResultMeta{DType::F64, layout, ValueId()}, ResultMeta{DType::I64, layout, ValueId()}};
}

// As XNNPACK has it: the zero point by the end whose error is the smaller.
Result<void> reference_asymmetric(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const RangeMath math(input.dtype, call.profile());
  const RealRange low = RealRange::exact(-128);
  const RealRange high = RealRange::exact(127);
  for_each_row(input, [&](std::size_t row, std::span<const int64_t> elements) {
    const Extremes extremes = extremes_with_zero(call, math, elements);
    RealRange scale = math.div(math.sub(extremes.most, extremes.least), RealRange::exact(255));
    scale = math.maximum(scale, number(math, 0x1p-23));
    call.output().ball(static_cast<int64_t>(row)) = scale.to_ball();
    const RealRange least = math.div(extremes.least, scale);
    const RealRange most = math.div(extremes.most, scale);
    const RealRange error = math.add(math.add(low, least), math.add(high, most));
    const RealRange by_least = math.sub(low, least);
    const RealRange by_most = math.sub(high, most);
    RealRange zero_point = error.value > 0 ? by_least : by_most;
    const bool decided = !error.may_nan && (error.low > 0 || error.high <= 0);
    if (!decided) zero_point = hull(zero_point, error.value > 0 ? by_most : by_least);
    zero_point = math.whole(math.minimum(math.maximum(zero_point, low), high));
    call.outputs()[1].integer(static_cast<int64_t>(row)) = zero_point.to_integer(DType::I64);
  });
  return {};
}

// Eager's kernel has zero points of the scales' dtype; what it says to the tracer (f64 and i64) it does not keep.
Result<std::vector<ResultMeta>> infer_per_token(const Call& call) {
  if (call.dtype(arg::dtype) != DType::I8)
    return refuse("{}: unsupported dtype {}", call.op().name, name(*call.dtype(arg::dtype)));
  TRY(const Layout layout, layout_of_rows(call));
  const DType input = call.tensor(arg::input).dtype;
  const DType dtype = input == DType::F16 ? DType::F32 : input;
  return std::vector{ResultMeta{dtype, layout, ValueId()}, ResultMeta{dtype, layout, ValueId()}};
}

Result<void> reference_per_token(const ReferenceCall& call) {
  const BallView& input = call.input(arg::input);
  const RangeMath math(call.output().dtype, call.profile());
  for_each_row(input, [&](std::size_t row, std::span<const int64_t> elements) {
    const Extremes extremes = extremes_with_zero(call, math, elements);
    const RealRange most = math.maximum(negated(extremes.least), extremes.most);
    const RealRange scale = math.div(math.maximum(most, number(math, 1e-5)), RealRange::exact(127));
    call.output().ball(static_cast<int64_t>(row)) = scale.to_ball();
    call.outputs()[1].ball(static_cast<int64_t>(row)) = Ball::exact(0);
  });
  return {};
}

std::optional<ValueId> pick_input(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.dtype != DType::F64 && meta.layout.numel() > 0;
  });
}

std::optional<std::vector<Argument>> sample_of_tensor(const Op&, SampleContext& context) {
  const auto input = pick_input(context);
  if (!input) return std::nullopt;
  constexpr std::array dtypes = {DType::I8, DType::U8, DType::I16};
  const DType dtype = context.choices().pick(dtypes);
  return std::vector<Argument>{*input, Scalar(info(dtype).min_integer), Scalar(info(dtype).max_integer),
                               Scalar(0x1p-23), dtype};
}

std::optional<std::vector<Argument>> sample_of_rows(const Op&, SampleContext& context) {
  const auto input = pick_input(context);
  if (!input) return std::nullopt;
  return std::vector<Argument>{*input, DType::I8};
}

}  // namespace

std::vector<OpDef> quantization_choice_family() {
  return {
      {.schema = "quantized_decomposed::choose_qparams.tensor(Tensor input, int quant_min, int quant_max, float eps, "
                 "ScalarType dtype) -> (Tensor, Tensor)",
       .infer = infer_of_tensor,
       .reference = reference_of_tensor,
       .sample = sample_of_tensor},
      {.schema = "quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, int quant_min, int quant_max, "
                 "float eps, ScalarType dtype) -> (Tensor, Tensor)",
       .infer = infer_of_tensor,
       .reference = reference_symmetric,
       .sample = sample_of_tensor},
      {.schema = "quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
       .infer = infer_per_token,
       .reference = reference_per_token,
       .sample = sample_of_rows},
      {.schema =
           "quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, "
           "Tensor)",
       .infer = infer_asymmetric,
       .reference = reference_asymmetric,
       .sample = sample_of_rows},
      {.schema = "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) -> "
                 "(Tensor, Tensor)",
       .infer = infer_asymmetric,
       .reference = reference_asymmetric},
  };
}

}  // namespace parallax
