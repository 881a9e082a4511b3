#include "backends/xnnpack/integer_call.h"

#include <xnnpack.h>

#include <algorithm>
#include <cmath>

#include "ops/fused_op.h"

namespace parallax::xnnpack {
namespace {

using Scheme = IntegerCall::Scheme;

// What the library's requantization is defined for: it asserts 2^-32 and refuses 256.
constexpr double least_ratio = 0x1p-30;
constexpr double most_ratio = 0x1p+7;
// Of a product of two tensors it asserts 2^-16.
constexpr double least_product_ratio = 0x1p-14;

bool is_usual(double scale) { return scale > 0x1p-60 && scale < 0x1p+60; }

std::optional<double> number(const Call& call, arg parameter) {
  const auto* scalar = std::get_if<Scalar>(&call.argument(parameter));
  return scalar ? std::optional(as_double(*scalar)) : std::nullopt;
}

bool is_one_scale(const Op& op) {
  return op.schema.name == "dequantize_per_tensor" || op.schema.name == "quantize_per_tensor";
}

std::optional<Scheme> scheme_of(const Call& call) {
  if (!is_one_scale(call.op())) return std::nullopt;
  const std::optional<double> scale = number(call, arg::scale);
  const std::optional<double> zero_point = number(call, arg::zero_point);
  if (!scale || !zero_point || !is_usual(*scale)) return std::nullopt;
  return Scheme{static_cast<float>(*scale), static_cast<int64_t>(*zero_point)};
}

bool holds(DType dtype, int64_t x) { return x >= info(dtype).min_integer && x <= info(dtype).max_integer; }

class Reader {
 public:
  Reader(const Graph& graph, const FusedSteps& steps) : graph_(graph), steps_(steps) {}

  std::optional<IntegerCall> read() {
    std::size_t main = 0;
    while (main < steps_.size() && steps_.op(main).schema.name.starts_with("dequantize")) ++main;
    const std::size_t last = steps_.size() - 1;
    if (main >= last || steps_.op(last).schema.name != "quantize_per_tensor") return std::nullopt;
    const std::optional<Scheme> result = scheme_of(steps_.part(last));
    if (!result) return std::nullopt;
    call_.of_result = *result;
    const Call quantize = steps_.part(last);
    call_.low = quantize.integer(arg::quant_min);
    call_.high = quantize.integer(arg::quant_max);
    call_.dtype = *quantize.dtype(arg::dtype);
    if (call_.dtype != DType::I8 && call_.dtype != DType::U8) return std::nullopt;
    for (std::size_t part = main + 1; part < last; ++part) narrow_by(steps_.part(part));
    // The library wants limits that differ.
    if (!holds(call_.dtype, call_.of_result.zero_point) || call_.low >= call_.high) return std::nullopt;
    if (!reads(steps_.part(main)) || !ratios_fit()) return std::nullopt;
    return call_;
  }

 private:
  // A bound on the number is one on the integer: rounding keeps the order.
  void narrow_by(const Call& activation) {
    const bool tanh = activation.takes(arg::min_val);
    const bool relu = !tanh && !activation.takes(arg::min);
    const auto stored = [&](double x) {
      const float inverse = static_cast<float>(1.0 / static_cast<double>(call_.of_result.scale));
      const double q =
          std::nearbyint(static_cast<float>(x) * inverse) + static_cast<double>(call_.of_result.zero_point);
      return static_cast<int64_t>(std::clamp(q, static_cast<double>(call_.low), static_cast<double>(call_.high)));
    };
    if (relu) {
      call_.low = stored(0);
      return;
    }
    const arg low = tanh ? arg::min_val : arg::min;
    const arg high = tanh ? arg::max_val : arg::max;
    if (activation.has(low)) call_.low = stored(activation.real(low));
    if (activation.has(high)) call_.high = stored(activation.real(high));
  }

  bool reads(const Call& main) {
    const std::string_view op = main.op().name;
    if (op == "aten.mul.Tensor") {
      call_.kind = IntegerCall::Kind::Multiply;
      return takes_tensor(main.value(0), call_.x, call_.of_x) &&
             takes_tensor(main.value(1), call_.other, call_.of_other);
    }
    const bool linear = op == "aten.linear.default";
    if (!linear && op != "aten.conv2d.default" && op != "aten.convolution.default") return false;
    call_.kind = linear ? IntegerCall::Kind::Linear : IntegerCall::Kind::Convolution;
    if (!takes_tensor(main.value(arg::input), call_.x, call_.of_x) || !takes_weight(main.value(arg::weight), !linear))
      return false;
    if (!linear && !takes_windows(main)) return false;
    return !main.has(arg::bias) || takes_bias(main.value(arg::bias));
  }

  bool takes_tensor(ValueId value, ValueId& integers, Scheme& scheme) const {
    const int maker = steps_.maker(value);
    if (maker == FusedPart::outside) return false;
    const Call dequantize = steps_.part(static_cast<std::size_t>(maker));
    const std::optional<Scheme> found = scheme_of(dequantize);
    if (!found || dequantize.tensor(arg::input).dtype != call_.dtype || !holds(call_.dtype, found->zero_point))
      return false;
    integers = dequantize.value(arg::input);
    scheme = *found;
    return true;
  }

  // Signed weights have no zero point; scales of channels are for signed convolutions.
  bool takes_weight(ValueId value, bool channels) {
    const int maker = steps_.maker(value);
    if (maker == FusedPart::outside) return false;
    const Call dequantize = steps_.part(static_cast<std::size_t>(maker));
    if (!constant_source(graph_, dequantize.value(arg::input))) return false;
    if (is_one_scale(dequantize.op())) {
      if (!takes_tensor(value, call_.other, call_.of_other)) return false;
      return call_.dtype == DType::U8 || call_.of_other.zero_point == 0;
    }
    if (!channels || call_.dtype != DType::I8 || dequantize.tensor(arg::input).dtype != DType::I8) return false;
    if (!dequantize.takes(arg::axis)) return false;
    const Source* scales = constant_source(graph_, dequantize.value(arg::scales));
    if (!scales || scales->data.numel() != dequantize.tensor(arg::input).layout.sizes[0]) return false;
    if (dequantize.has(arg::zero_points) && !is_zero(dequantize.value(arg::zero_points))) return false;
    call_.other = dequantize.value(arg::input);
    for (int64_t i = 0; i < scales->data.numel(); ++i) {
      if (!is_usual(scales->data.get_double(i))) return false;
      call_.channel_scales.push_back(static_cast<float>(scales->data.get_double(i)));
    }
    return true;
  }

  bool is_zero(ValueId value) const {
    const Source* source = constant_source(graph_, value);
    for (int64_t i = 0; source && i < source->data.numel(); ++i) {
      if (source->data.get_double(i) != 0) return false;
    }
    return source != nullptr;
  }

  // A bias in units of the product of the scales is what the library adds; any other would be rounded.
  bool takes_bias(ValueId value) {
    const int maker = steps_.maker(value);
    if (maker == FusedPart::outside) return false;
    const Call dequantize = steps_.part(static_cast<std::size_t>(maker));
    const Source* source = constant_source(graph_, dequantize.value(arg::input));
    if (!source || source->data.dtype != DType::I32 || source->data.sizes.size() != 1) return false;
    const bool channels = dequantize.takes(arg::axis);
    if (!channels && !is_one_scale(dequantize.op())) return false;
    const Source* scales = channels ? constant_source(graph_, dequantize.value(arg::scales)) : nullptr;
    if (channels && (!scales || (dequantize.has(arg::zero_points) && !is_zero(dequantize.value(arg::zero_points)))))
      return false;
    if (!channels && number(dequantize, arg::zero_point) != 0.0) return false;
    for (int64_t i = 0; i < source->data.numel(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float weight = call_.channel_scales.empty() ? call_.of_other.scale : call_.channel_scales[at];
      const std::optional<double> given =
          channels ? scales->data.get_double(scales->data.numel() == 1 ? 0 : i) : number(dequantize, arg::scale);
      if (!given || static_cast<float>(*given) != call_.of_x.scale * weight) return false;
      call_.bias.push_back(static_cast<int32_t>(source->data.get_integer(i)));
    }
    return true;
  }

  bool takes_windows(const Call& main) {
    if (graph_.meta(call_.other).layout.rank() != 4) return false;
    const auto two = [&](arg parameter) {
      IntList numbers = main.integers(parameter);
      if (numbers.size() == 1) numbers.push_back(numbers.front());
      return numbers;
    };
    call_.stride = two(arg::stride);
    call_.padding = two(arg::padding);
    call_.dilation = two(arg::dilation);
    call_.groups = main.integer(arg::groups);
    return std::ranges::all_of(call_.padding, [](int64_t pad) { return pad >= 0; });
  }

  bool ratios_fit() const {
    const double out = static_cast<double>(call_.of_result.scale);
    const auto fits = [&](float other) {
      const double ratio = static_cast<double>(call_.of_x.scale) * static_cast<double>(other) / out;
      const double least = call_.kind == IntegerCall::Kind::Multiply ? least_product_ratio : least_ratio;
      return ratio >= least && ratio <= most_ratio;
    };
    if (call_.channel_scales.empty()) return fits(call_.of_other.scale);
    return std::ranges::all_of(call_.channel_scales, fits);
  }

  const Graph& graph_;
  const FusedSteps& steps_;
  IntegerCall call_;
};

}  // namespace

const Source* constant_source(const Graph& graph, ValueId value) {
  const auto found = std::ranges::find(graph.sources, value, &Source::value);
  const bool fits = found != graph.sources.end() && found->kind == SourceKind::Constant && !found->window;
  return fits ? &*found : nullptr;
}

std::optional<IntegerCall> integer_call(const Graph& graph, const Node& node) {
  if (!as_fused(*node.op)) return std::nullopt;
  const Result<FusedSteps> steps = FusedSteps::of(Call(*node.op, node.arguments, graph.metas));
  if (!steps) return std::nullopt;
  std::optional<IntegerCall> call = Reader(graph, *steps).read();
  if (!call || call->kind != IntegerCall::Kind::Multiply) return call;
  // The library is given operands of one shape.
  const Dims& sizes = graph.meta(call->x).layout.sizes;
  const bool fits =
      sizes == graph.meta(call->other).layout.sizes && sizes.size() > 0 && sizes.size() <= XNN_MAX_TENSOR_DIMS;
  if (!fits) return std::nullopt;
  return call;
}

}  // namespace parallax::xnnpack
