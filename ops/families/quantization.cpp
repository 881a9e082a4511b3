// Quantization: floats to integers and back, by a scale and a zero point for the tensor, each channel, each token or
// each group of a row. What eager does step by step is in torch/ao/quantization/fx/_decomposed.py.
#include <cmath>

#include "ops/byte_table.h"
#include "ops/cast.h"
#include "ops/copying.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/quantization_plan.h"
#include "ops/real_range.h"
#include "ops/sure_quotient.h"

namespace parallax {
namespace {

// --- quantize ---

struct Limits {
  RealRange low;
  RealRange high;
};

// Numbers as an operand of f32 may be rounded to it or not.
Limits limits_of(const RangeMath& math, const RealRange& low, const RealRange& high) {
  return {math.rounded(low), math.rounded(high)};
}
Limits limits_of(const RangeMath& math, const Call& call) {
  return limits_of(math, RealRange::exact(call.real(arg::quant_min)), RealRange::exact(call.real(arg::quant_max)));
}

// x / scale in the ways that the profile allows, eager's first.
RealRange scaled(const RangeMath& math, const RangeMath& single, const CallProfile& profile, const RealRange& x,
                 const RealRange& scale, const RealRange& inverse) {
  RealRange result = math.mul(x, inverse);
  if (profile.allows(Form::SingleScales)) {
    const RealRange factor = single.stored(scale);
    result = hull(result, single.mul(x, single.reciprocal(factor)));
    if (profile.allows(Form::DividedScale)) result = hull(result, single.div(x, factor));
  }
  if (profile.allows(Form::DividedScale)) result = hull(result, math.div(x, math.rounded(scale)));
  return result;
}

IntegerBall finished(const RangeMath& math, const RealRange& whole, const Limits& limits, DType dtype) {
  return math.minimum(math.maximum(whole, limits.low), limits.high).to_integer(dtype);
}

// One scale and zero point, numbers of Python, whose reciprocal is Python's.
void quantize_by_numbers(const ReferenceCall& call, const NumberParameters& numbers) {
  const CallProfile& profile = call.profile();
  const RangeMath math(DType::F32, profile);
  const Limits limits = limits_of(math, numbers.low, numbers.high);
  const RealRange inverse = math.rounded(RangeMath(DType::F64, profile).reciprocal(numbers.scale));
  const RealRange offset = math.rounded(numbers.zero_point);
  const BallView& input = call.input(arg::input);
  const BallView& output = call.output();
  const std::vector<int64_t> from = elements_of(input.layout);
  const std::vector<int64_t> to = elements_of(output.layout);
  const SureQuotient sure(profile, numbers, output.dtype);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (const std::optional<int64_t> integer = sure.of(input.ball(from[i]))) {
      output.integer(to[i]) = {*integer};
      continue;
    }
    const RealRange x = RealRange::of(input.ball(from[i]));
    const RealRange y = math.whole(scaled(math, math, profile, x, numbers.scale, inverse));
    output.integer(to[i]) = finished(math, math.add(y, offset), limits, output.dtype);
  }
}

Result<std::vector<ResultMeta>> infer_quantize_per_tensor(const Call& call) {
  TRY_VOID(check_float_input(call, true));
  TRY_VOID(check_single_elements(call));
  TRY_VOID(check_bounds(call));
  const Layout input = converted_layout(call.tensor(arg::input), DType::F32);
  TRY(const Layout layout, pointwise_layout(call, std::span(&input, 1)));
  return fresh_result(*call.dtype(arg::dtype), layout);
}

Result<void> reference_quantize_per_tensor(const ReferenceCall& call) {
  const NumberParameters numbers = number_parameters(call);
  if (call.is_tensor(arg::quant_min) && numbers.low.is_point() && numbers.high.is_point()) {
    TRY_VOID(check_bounds(call, static_cast<int64_t>(numbers.low.value), static_cast<int64_t>(numbers.high.value),
                          call.output().dtype));
  }
  if (numbers.scale.is_point() && numbers.scale.value == 0) return refuse("{}: float division by zero", call.op().name);
  if (numbers.scale.undecided != Undecided::No || (numbers.scale.low <= 0 && numbers.scale.high >= 0))
    call.note_may_raise();
  quantize_by_numbers(call, numbers);
  return {};
}

// Quantizes with tensors of scales and zero points. `adds_first`: the zero point is added before the sum is rounded.
void quantize_by_tensors(const ReferenceCall& call, const ParameterLayouts& layouts, bool adds_first) {
  const CallProfile& profile = call.profile();
  const BallView& input = call.input(arg::input);
  const BallView& scales = call.input(arg::scales);
  const BallView& zero_points = call.input(arg::zero_points);
  const RangeMath of_scale(floating_type(scales.dtype), profile);
  const RangeMath product(layouts.product, profile);
  const RangeMath sum(layouts.sum, profile);
  const RangeMath single(DType::F32, profile);
  const Limits limits = limits_of(sum, call);
  const auto range = [](const BallView& view, int64_t element) {
    return view.floating() ? RealRange::of(view.ball(element)) : RealRange::of(view.integer(element));
  };
  const ParameterPlan plan = plan_of(call, layouts);
  const BallView& output = call.output();
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    const RealRange x = product.rounded(range(input, plan.inputs[i]));
    const RealRange scale = range(scales, plan.scales[i]);
    const RealRange zero_point = sum.rounded(range(zero_points, plan.zero_points[i]));
    RealRange y = scaled(product, single, profile, x, scale, product.rounded(of_scale.reciprocal(scale)));
    // In f32 the sum of large numbers may be rounded where that of f64 is not.
    const bool narrows = profile.allows(Form::SingleScales);
    const auto plus = [&](const RealRange& z) {
      return narrows ? hull(sum.add(z, zero_point), single.add(z, zero_point)) : sum.add(z, zero_point);
    };
    y = adds_first ? sum.whole(plus(y)) : plus(product.whole(y));
    output.integer(plan.results[i]) = finished(sum, y, limits, output.dtype);
  }
}

Result<std::vector<ResultMeta>> infer_quantize_per_channel(const Call& call) {
  TRY_VOID(check_float_input(call, true));
  TRY_VOID(check_bounds(call));
  TRY(const ParameterLayouts layouts, channel_layouts(call));
  return fresh_result(*call.dtype(arg::dtype), layouts.result);
}

Result<void> reference_quantize_per_channel(const ReferenceCall& call) {
  TRY(const ParameterLayouts layouts, channel_layouts(call));
  quantize_by_tensors(call, layouts, false);
  return {};
}

Result<std::vector<ResultMeta>> infer_quantize_per_token(const Call& call) {
  TRY_VOID(check_bounds(call));
  TRY_VOID(check_float_input(call, false));
  TRY(const ParameterLayouts layouts, token_layouts(call));
  return fresh_result(*call.dtype(arg::dtype), layouts.result);
}

Result<void> reference_quantize_per_token(const ReferenceCall& call) {
  TRY(const ParameterLayouts layouts, token_layouts(call));
  quantize_by_tensors(call, layouts, true);
  return {};
}

Result<std::vector<ResultMeta>> infer_quantize_per_group(const Call& call) {
  TRY_VOID(check_float_input(call, false));
  TRY(const ParameterLayouts layouts, group_layouts(call));
  return fresh_result(*call.dtype(arg::dtype), layouts.result);
}

Result<void> reference_quantize_per_group(const ReferenceCall& call) {
  TRY(const ParameterLayouts layouts, group_layouts(call));
  const BallView& input = call.input(arg::input);
  bool may_be_nan = false;
  bool nan = false;
  for_each_element(input.layout, [&](int64_t element) {
    const Ball& x = input.ball(element);
    nan = nan || (x.decided() && std::isnan(x.mid));
    may_be_nan = may_be_nan || x.may_nan || !x.decided();
  });
  if (nan) return refuse("{}: to_quant must not contain NaNs", call.op().name);
  if (may_be_nan) call.note_may_raise();
  quantize_by_tensors(call, layouts, true);
  return {};
}

// --- dequantize ---

// What a monotone function makes of an integer: of one within bounds, the hull of what it makes of the two ends, where
// nothing between them is beyond the dtype.
template <class F>
Ball of_ends(const IntegerBall& integer, F&& function) {
  if (!integer.is_interval()) return function(integer);
  const Ball low = function(IntegerBall{integer.low});
  const Ball high = function(IntegerBall{integer.high});
  return std::isfinite(low.mid) && std::isfinite(high.mid) ? hull(low, high) : function(integer);
}

Result<std::vector<ResultMeta>> infer_dequantize_per_tensor(const Call& call) {
  TRY_VOID(check_stated_dtype(call));
  TRY_VOID(check_single_elements(call));
  const DType dtype = call.dtype(arg::out_dtype).value_or(DType::F32);
  if (!is_floating(dtype)) return refuse("{}: an out_dtype of {} is not run", call.op().name, name(dtype));
  const Layout input = converted_layout(call.tensor(arg::input), dtype);
  TRY(const Layout layout, pointwise_layout(call, std::span(&input, 1)));
  return fresh_result(dtype, layout);
}

Result<void> reference_dequantize_per_tensor(const ReferenceCall& call) {
  const NumberParameters numbers = number_parameters(call);
  const BallView& input = call.input(arg::input);
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const RangeMath numbers_of(output.dtype, call.profile());
  const Ball zero_point = numbers_of.rounded(numbers.zero_point).to_ball();
  const Ball scale = numbers_of.rounded(numbers.scale).to_ball();
  const std::vector<int64_t> from = elements_of(input.layout);
  const std::vector<int64_t> to = elements_of(output.layout);
  const auto times_scale = [&](const IntegerBall& x) {
    return math.mul(math.sub(integer_to_ball(x, output.dtype, call.profile()), zero_point), scale);
  };
  ByteTable table(input.dtype, to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    output.ball(to[i]) =
        table.of(input.integer(from[i]), [&](const IntegerBall& x) { return of_ends(x, times_scale); });
  }
  return {};
}

// (x - zero_point) * scale, each in the dtype that its operands promote to, and stored in the result's.
void dequantize_by_tensors(const ReferenceCall& call, const ParameterLayouts& layouts) {
  const ParameterPlan plan = plan_of(call, layouts);
  const CallProfile& profile = call.profile();
  const BallView& input = call.input(arg::input);
  const BallView& scales = call.input(arg::scales);
  const BallView* zero_points = call.has(arg::zero_points) ? &call.input(arg::zero_points) : nullptr;
  const BallView& output = call.output();
  const BallMath difference(floating_type(layouts.sum), profile);
  const BallMath product(layouts.product, profile);
  // The difference of integers wraps, and is an interval where it does not.
  const bool subtracts_integers = zero_points && !is_floating(layouts.sum);
  const auto dequantized = [&](IntegerBall x, std::size_t i) {
    const Ball scale = element_as_ball(scales, plan.scales[i], layouts.product, profile);
    const auto times_scale = [&](const Ball& y) {
      return cast_ball(product.mul(y, scale), layouts.product, output.dtype, profile);
    };
    if (subtracts_integers) {
      x = difference_of(cast_integer(x, layouts.sum),
                        element_as_integer(*zero_points, plan.zero_points[i], layouts.sum), layouts.sum);
    }
    return of_ends(x, [&](const IntegerBall& number) {
      if (!zero_points || subtracts_integers) return times_scale(integer_to_ball(number, layouts.product, profile));
      const Ball zero_point = element_as_ball(*zero_points, plan.zero_points[i], layouts.sum, profile);
      const Ball less = difference.sub(integer_to_ball(number, layouts.sum, profile), zero_point);
      return times_scale(cast_ball(less, layouts.sum, layouts.product, profile));
    });
  };
  ByteTable table(input.dtype, plan.results.size());
  for (std::size_t i = 0; i < plan.results.size(); ++i) {
    const bool same = i == 0 || (plan.scales[i] == plan.scales[i - 1] &&
                                 (!zero_points || plan.zero_points[i] == plan.zero_points[i - 1]));
    if (!same) table.clear();
    output.ball(plan.results[i]) =
        table.of(input.integer(plan.inputs[i]), [&](const IntegerBall& x) { return dequantized(x, i); });
  }
}

Result<std::vector<ResultMeta>> infer_dequantize_per_channel(const Call& call) {
  TRY_VOID(check_stated_dtype(call));
  TRY_VOID(check_bounds(call));
  TRY(const ParameterLayouts layouts, channel_layouts(call));
  const DType dtype = call.dtype(arg::out_dtype).value_or(DType::F32);
  if (!is_floating(dtype)) return refuse("{}: an out_dtype of {} is not run", call.op().name, name(dtype));
  return fresh_result(dtype, layouts.result);
}

template <Result<ParameterLayouts> (*layouts_of)(const Call& call)>
Result<void> reference_dequantize(const ReferenceCall& call) {
  TRY(const ParameterLayouts layouts, layouts_of(call));
  dequantize_by_tensors(call, layouts);
  return {};
}

template <Result<ParameterLayouts> (*layouts_of)(const Call& call)>
Result<std::vector<ResultMeta>> infer_dequantize(const Call& call) {
  TRY(const ParameterLayouts layouts, layouts_of(call));
  if (!is_integral(call.tensor(arg::input).dtype) || call.tensor(arg::input).dtype == DType::Bool)
    return refuse("{}: an input of {} is not run", call.op().name, name(call.tensor(arg::input).dtype));
  const DType dtype = *call.dtype(arg::output_dtype);
  if (!is_floating(dtype)) return refuse("{}: an output_dtype of {} is not run", call.op().name, name(dtype));
  return fresh_result(dtype, layouts.result);
}

// A cast under a name of its own, so that no pass joins it with another.
Result<std::vector<ResultMeta>> infer_convert(const Call& call) {
  TRY(const Layout layout, fresh_layout(call.tensor(arg::input).layout, MemoryFormat::Preserve));
  return fresh_result(*call.dtype(arg::dtype), layout);
}

Result<void> reference_convert(const ReferenceCall& call) {
  copy_elements(call.input(arg::input), call.output(), call.profile());
  return {};
}

}  // namespace

std::vector<OpDef> quantization_family() {
  return {
      {.schema = "quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, "
                 "int quant_max, ScalarType dtype) -> Tensor",
       .infer = infer_quantize_per_tensor,
       .reference = reference_quantize_per_tensor,
       .sample = sample_quantize},
      {.schema = "quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, int "
                 "quant_min, int quant_max, ScalarType dtype) -> Tensor",
       .infer = infer_quantize_per_tensor,
       .reference = reference_quantize_per_tensor},
      {.schema = "quantized_decomposed::quantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, "
                 "Tensor quant_min, Tensor quant_max, ScalarType dtype) -> Tensor",
       .infer = infer_quantize_per_tensor,
       .reference = reference_quantize_per_tensor},
      {.schema =
           "quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, int quant_min, "
           "int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       .infer = infer_dequantize_per_tensor,
       .reference = reference_dequantize_per_tensor,
       .sample = sample_dequantize},
      {.schema = "quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, "
                 "int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       .infer = infer_dequantize_per_tensor,
       .reference = reference_dequantize_per_tensor},
      {.schema = "quantized_decomposed::dequantize_per_tensor.tensor2(Tensor input, Tensor scale, Tensor zero_point, "
                 "Tensor quant_min, Tensor quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       .infer = infer_dequantize_per_tensor,
       .reference = reference_dequantize_per_tensor},
      {.schema =
           "quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, "
           "int quant_min, int quant_max, ScalarType dtype) -> Tensor",
       .infer = infer_quantize_per_channel,
       .reference = reference_quantize_per_channel},
      {.schema = "quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int "
                 "axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
       .infer = infer_dequantize_per_channel,
       .reference = reference_dequantize<channel_layouts>},
      {.schema = "quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
                 "quant_min, int quant_max, ScalarType dtype) -> Tensor",
       .infer = infer_quantize_per_token,
       .reference = reference_quantize_per_token},
      {.schema = "quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, int "
                 "quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> Tensor",
       .infer = infer_dequantize<broadcast_layouts>,
       .reference = reference_dequantize<broadcast_layouts>},
      {.schema =
           "quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, int "
           "quant_min, int quant_max, ScalarType dtype, int group_size) -> Tensor",
       .infer = infer_quantize_per_group,
       .reference = reference_quantize_per_group},
      {.schema = "quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, "
                 "int quant_min, int quant_max, ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor",
       .infer = infer_dequantize<group_layouts>,
       .reference = reference_dequantize<group_layouts>},
      {.schema = "quantized_decomposed::convert_element_type.no_fuse(Tensor input, ScalarType dtype) -> Tensor",
       .infer = infer_convert,
       .reference = reference_convert},
  };
}

}  // namespace parallax
