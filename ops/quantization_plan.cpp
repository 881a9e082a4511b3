#include "ops/quantization_plan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ops/elementwise.h"
#include "ops/sample.h"

namespace parallax {
namespace {

bool is_quantized_dtype(DType dtype) {
  return dtype == DType::U8 || dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32;
}

bool quantizes(const Call& call) { return call.op().schema.name.starts_with("quantize"); }

DType joined(DType dtype, int rank, DType other, int other_rank) {
  const auto rank_of = [](int r) { return r == 0 ? OperandType::Rank::ZeroDim : OperandType::Rank::Tensor; };
  const std::array operands = {OperandType{dtype, rank_of(rank)}, OperandType{other, rank_of(other_rank)}};
  return result_type(operands);
}

// An operand of eager's steps: a layout as the steps see it, and the dtype of its elements.
struct StepOperand {
  DType dtype = DType::F32;
  Layout layout;

  Layout as(DType common) const { return converted_layout({dtype, layout, StorageId()}, common); }
};

// The first operand with the scales and the zero points in the order of eager's steps. Fills the dtypes and the result.
Result<void> run_steps(const Call& call, StepOperand x, const StepOperand& scales,
                       const std::optional<StepOperand>& zero_points, ParameterLayouts& layouts) {
  const auto step = [&](const StepOperand& operand, DType& dtype) -> Result<void> {
    dtype = joined(x.dtype, x.layout.rank(), operand.dtype, operand.layout.rank());
    const std::array operands = {x.as(dtype), operand.as(dtype)};
    TRY(x.layout, pointwise_layout(call, operands));
    x.dtype = dtype;
    return {};
  };
  layouts.sum = x.dtype;
  if (quantizes(call)) TRY_VOID(step(scales, layouts.product));
  if (zero_points) TRY_VOID(step(*zero_points, layouts.sum));
  if (!quantizes(call)) TRY_VOID(step(scales, layouts.product));
  layouts.result = x.layout;
  return {};
}

Layout swapped(Layout layout, int axis) {
  std::swap(layout.sizes[0], layout.sizes[axis]);
  std::swap(layout.strides[0], layout.strides[axis]);
  return layout;
}

Result<void> check_scales(const Call& call) {
  if (is_floating(call.tensor(arg::scales).dtype)) return {};
  return refuse("{}: scales of {} are not run", call.op().name, name(call.tensor(arg::scales).dtype));
}

// Without dims of their own: what eager reshapes to (-1, 1).
StepOperand column(const TensorMeta& meta) { return {meta.dtype, contiguous_layout({meta.layout.numel(), 1})}; }

}  // namespace

Result<void> check_float_input(const Call& call, bool halves_and_single) {
  const DType dtype = call.tensor(arg::input).dtype;
  if (is_floating(dtype) && !(halves_and_single && dtype == DType::F64)) return {};
  return refuse("{}: expecting input to have dtype f32, but got {}", call.op().name, name(dtype));
}

Result<void> check_bounds(const Call& call, int64_t low, int64_t high, DType dtype) {
  if (!is_quantized_dtype(dtype)) return refuse("{}: unsupported dtype {}", call.op().name, name(dtype));
  if (low < info(dtype).min_integer)
    return refuse("{}: quant_min {} is out of bounds for {}", call.op().name, low, name(dtype));
  if (high > info(dtype).max_integer)
    return refuse("{}: quant_max {} is out of bounds for {}", call.op().name, high, name(dtype));
  return {};
}

Result<void> check_bounds(const Call& call) {
  const DType dtype = *call.dtype(arg::dtype);
  if (call.is_tensor(arg::quant_min)) return check_bounds(call, 0, 0, dtype);
  return check_bounds(call, call.integer(arg::quant_min), call.integer(arg::quant_max), dtype);
}

Result<void> check_stated_dtype(const Call& call) {
  const DType stated = *call.dtype(arg::dtype);
  const DType got = call.tensor(arg::input).dtype;
  if (got != stated)
    return refuse("{}: expecting input to have dtype {}, but got {}", call.op().name, name(stated), name(got));
  if (!is_quantized_dtype(stated)) return refuse("{}: unsupported dtype {}", call.op().name, name(stated));
  return {};
}

Result<void> check_single_elements(const Call& call) {
  for (const arg parameter : {arg::zero_point, arg::scale, arg::quant_min, arg::quant_max}) {
    if (!call.is_tensor(parameter)) continue;
    const int64_t elements = call.tensor(parameter).layout.numel();
    if (elements == 1) continue;
    return refuse("{}: expecting {} to be one element, but received {}", call.op().name, name(parameter), elements);
  }
  return {};
}

NumberParameters number_parameters(const ReferenceCall& call) {
  const auto range = [&](arg parameter) {
    if (!call.is_tensor(parameter)) return RealRange::exact(as_double(call.scalar(parameter)));
    const BallView& view = call.input(parameter);
    const int64_t element = view.layout.offset;
    return view.floating() ? RealRange::of(view.ball(element)) : RealRange::of(view.integer(element));
  };
  return {range(arg::scale), range(arg::zero_point), range(arg::quant_min), range(arg::quant_max)};
}

Result<ParameterLayouts> channel_layouts(const Call& call) {
  TRY_VOID(check_scales(call));
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& scales = call.tensor(arg::scales);
  const int rank = input.layout.rank();
  const int64_t axis = call.integer(arg::axis);
  if (axis >= rank || axis < -rank) return refuse("{}: expecting axis to be < {}, got {}", call.op().name, rank, axis);
  ParameterLayouts layouts{.along = Along::Channel, .axis = static_cast<int>(axis < 0 ? axis + rank : axis)};
  if (scales.layout.rank() == 0) return refuse("{}: scales must have a dim", call.op().name);
  const int64_t channels = scales.layout.sizes[0];
  const int64_t size = input.layout.sizes[layouts.axis];
  if (scales.layout.numel() != channels || (channels != size && channels != 1))
    return refuse("{}: {} scales for {} channels", call.op().name, scales.layout.numel(), size);
  const bool has_zero_points = call.has(arg::zero_points);
  if (has_zero_points && call.tensor(arg::zero_points).layout.numel() != channels)
    return refuse("{}: {} zero points for {} scales", call.op().name, call.tensor(arg::zero_points).layout.numel(),
                  channels);
  Dims along = Dims::filled(rank, 1);
  along[0] = channels;
  const DType dtype = quantizes(call) ? DType::F32 : input.dtype;
  const StepOperand x{dtype, swapped(converted_layout(input, dtype), layouts.axis)};
  std::optional<StepOperand> zero_points;
  if (has_zero_points) zero_points = StepOperand{call.tensor(arg::zero_points).dtype, contiguous_layout(along)};
  TRY_VOID(run_steps(call, x, {scales.dtype, contiguous_layout(along)}, zero_points, layouts));
  layouts.result = swapped(layouts.result, layouts.axis);
  return layouts;
}

Result<ParameterLayouts> broadcast_layouts(const Call& call) {
  TRY_VOID(check_scales(call));
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& scales = call.tensor(arg::scales);
  const TensorMeta& zero_points = call.tensor(arg::zero_points);
  ParameterLayouts layouts{.along = Along::Token};
  TRY_VOID(run_steps(call, {input.dtype, input.layout}, {scales.dtype, scales.layout},
                     StepOperand{zero_points.dtype, zero_points.layout}, layouts));
  return layouts;
}

Result<ParameterLayouts> token_layouts(const Call& call) {
  const Layout& input = call.tensor(arg::input).layout;
  const int64_t width = input.rank() == 0 ? 1 : input.sizes.back();
  int64_t tokens = 1;
  for (int dim = 0; dim + 1 < input.rank(); ++dim) tokens *= input.sizes[dim];
  for (const arg parameter : {arg::scales, arg::zero_points}) {
    const int64_t got = call.tensor(parameter).layout.numel();
    if (got != tokens)
      return refuse("{}: {} {} for {} tokens of {}", call.op().name, got, name(parameter), tokens, width);
  }
  return broadcast_layouts(call);
}

Result<ParameterLayouts> group_layouts(const Call& call) {
  TRY_VOID(check_scales(call));
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& scales = call.tensor(arg::scales);
  int64_t group = call.integer(arg::group_size);
  if (group <= 1) return refuse("{}: group_size must be > 1", call.op().name);
  if (input.layout.rank() != 2) return refuse("{}: input must be 2-dimensional", call.op().name);
  const int64_t width = input.layout.sizes[1];
  const bool one_column = scales.layout.rank() > 0 && scales.layout.sizes.back() == 1;
  if (group > width && one_column) group = width;
  if (group == 0 || width % group != 0)
    return refuse("{}: input.shape[-1] = {} must be divisible by group_size {}", call.op().name, width, group);
  const int64_t groups = input.layout.numel() / group;
  const auto check = [&](arg parameter) -> Result<void> {
    const int64_t got = call.tensor(parameter).layout.numel();
    if (got == groups || got == 1) return {};
    return refuse("{}: {} {} for {} groups", call.op().name, got, name(parameter), groups);
  };
  TRY_VOID(check(arg::scales));
  ParameterLayouts layouts{.along = Along::Group, .group = group};
  std::optional<StepOperand> zero_points;
  if (call.has(arg::zero_points)) {
    TRY_VOID(check(arg::zero_points));
    zero_points = column(call.tensor(arg::zero_points));
  }
  const Layout rows = group == width ? input.layout : contiguous_layout({groups, group});
  TRY_VOID(run_steps(call, {input.dtype, rows}, column(scales), zero_points, layouts));
  if (group != width) layouts.result = contiguous_layout(input.layout.sizes);
  return layouts;
}

ParameterPlan plan_of(const Call& call, const ParameterLayouts& layouts) {
  const Dims& sizes = layouts.result.sizes;
  ParameterPlan plan{
      elements_of(layouts.result), elements_of(*broadcast_to(call.tensor(arg::input).layout, sizes)), {}, {}};
  const auto places = [&](arg parameter) {
    const Layout& own = call.tensor(parameter).layout;
    if (layouts.along == Along::Token) return elements_of(*broadcast_to(own, sizes));
    const std::vector<int64_t> elements = elements_of(own);
    std::vector<int64_t> found;
    int64_t inside = layouts.group;
    if (layouts.along == Along::Channel) {
      inside = 1;
      for (int dim = layouts.axis + 1; dim < sizes.size(); ++dim) inside *= sizes[dim];
    }
    const auto count = static_cast<int64_t>(elements.size());
    for (int64_t i = 0; i < static_cast<int64_t>(plan.results.size()); ++i) {
      int64_t at = i / inside;
      if (layouts.along == Along::Channel) at %= sizes[layouts.axis];
      found.push_back(elements[static_cast<std::size_t>(count == 1 ? 0 : at)]);
    }
    return found;
  };
  plan.scales = places(arg::scales);
  if (call.has(arg::zero_points)) plan.zero_points = places(arg::zero_points);
  return plan;
}

IntegerBall difference_of(const IntegerBall& a, const IntegerBall& b, DType dtype) {
  if (a.decided() && b.decided()) {
    const uint64_t difference = static_cast<uint64_t>(a.value) - static_cast<uint64_t>(b.value);
    return {wrap_to(dtype, static_cast<int64_t>(difference)), Undecided::No};
  }
  const Undecided reason = first_undecided({a, b});
  constexpr int64_t far = int64_t{1} << 62;
  const bool bounded = a.lowest() > -far && a.highest() < far && b.lowest() > -far && b.highest() < far;
  if (!bounded) return {0, reason};
  const int64_t low = a.lowest() - b.highest();
  const int64_t high = a.highest() - b.lowest();
  if (wrap_to(dtype, low) != low || wrap_to(dtype, high) != high) return {0, reason};
  return IntegerBall::between(low, high, a.value - b.value, reason);
}

std::optional<std::vector<Argument>> sample_quantize(const Op&, SampleContext& context) {
  const auto input = context.pick(
      [](const Candidate&, const TensorMeta& meta) { return is_floating(meta.dtype) && meta.dtype != DType::F64; });
  if (!input) return std::nullopt;
  Choices& choices = context.choices();
  constexpr std::array dtypes = {DType::I8, DType::U8, DType::I16, DType::I32};
  constexpr std::array scales = {0.25, 0.5, 1.0, 0.1, 0.0371, 1e-3, 16.0};
  const DType dtype = choices.pick(dtypes);
  const DTypeInfo& limits = info(dtype);
  // Four bits that are held in eight, or all of them.
  const bool narrow = choices.chance(20);
  const int64_t low = narrow ? (limits.min_integer < 0 ? -8 : 0) : limits.min_integer;
  const int64_t high = narrow ? (limits.min_integer < 0 ? 7 : 15) : limits.max_integer;
  const int64_t zero_point = choices.chance(70)   ? std::clamp<int64_t>(choices.between(-3, 20), low, high)
                             : choices.chance(50) ? low
                                                  : high;
  return std::vector<Argument>{*input, Scalar(choices.pick(scales)), Scalar(zero_point), Scalar(low), Scalar(high),
                               dtype};
}

std::optional<std::vector<Argument>> sample_dequantize(const Op&, SampleContext& context) {
  const auto input =
      context.pick([](const Candidate&, const TensorMeta& meta) { return is_quantized_dtype(meta.dtype); });
  if (!input) return std::nullopt;
  Choices& choices = context.choices();
  constexpr std::array scales = {0.25, 0.5, 1.0, 0.1, 0.0371, 1e-3, 16.0};
  const DType dtype = context.meta(*input).dtype;
  const DTypeInfo& limits = info(dtype);
  const int64_t zero_point = choices.chance(70)   ? std::max<int64_t>(choices.between(-3, 20), limits.min_integer)
                             : choices.chance(50) ? limits.min_integer
                                                  : limits.max_integer;
  return std::vector<Argument>{*input,
                               Scalar(choices.pick(scales)),
                               Scalar(zero_point),
                               Scalar(limits.min_integer),
                               Scalar(limits.max_integer),
                               dtype,
                               Argument()};
}

}  // namespace parallax
