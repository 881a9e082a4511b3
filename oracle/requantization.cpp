#include "oracle/requantization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "graph/def_use.h"
#include "ops/argument_name.h"
#include "ops/quantized_ops.h"
#include "ops/real_range.h"
#include "ops/registry.h"

namespace parallax {
namespace {

const Op& functional(const Op& op) { return op.functional != nullptr ? *op.functional : op; }

constexpr std::array<std::string_view, 6> passing = {"aten.relu.default",       "aten.clamp.default",
                                                     "aten.hardtanh.default",   "aten.clone.default",
                                                     "aten.max_pool2d.default", "aten._to_copy.default"};

bool passes_on(const Op& op) {
  return op.is_view() || std::ranges::find(passing, functional(op).name) != passing.end();
}

// Calls that multiply two operands, the place of the first, and that of a bias.
struct Product {
  std::string_view op;
  std::size_t first = 0;
  std::size_t bias = 2;
};
constexpr std::array products = {
    Product{"aten.linear.default"}, Product{"aten.mm.default"},          Product{"aten.bmm.default"},
    Product{"aten.matmul.default"}, Product{"aten.conv1d.default"},      Product{"aten.conv2d.default"},
    Product{"aten.mul.Tensor"},     Product{"aten.addmm.default", 1, 0}, Product{"aten.convolution.default"},
};

constexpr std::array<std::string_view, 4> averages = {"aten.avg_pool2d.default", "aten.adaptive_avg_pool2d.default",
                                                      "aten._adaptive_avg_pool2d.default", "aten.mean.dim"};

bool has_value(const Node& node, std::size_t place) {
  const auto* value = place < node.arguments.size() ? std::get_if<ValueId>(&node.arguments[place]) : nullptr;
  return value != nullptr && value->valid();
}

int exponent(double x) {
  int e = 0;
  std::frexp(x, &e);
  return e;
}

// What a view of one scale, or of several, holds; nothing where one of them is no positive number.
template <class Visit>
bool visit_scales(const BallView& view, Visit&& visit) {
  bool all = view.floating();
  if (!all) return false;
  for_each_element(view.layout, [&](int64_t element) {
    const RealRange scale = RealRange::of(view.ball(element));
    all = all && scale.undecided == Undecided::No && !scale.may_nan && scale.low > 0 && std::isfinite(scale.high);
    visit(scale.low, scale.high);
  });
  return all;
}

}  // namespace

Requantization::Requantization(const Graph& graph, const Profile& profile) : graph_(&graph) {
  const FormSet anywhere = profile.allowed.anywhere();
  constexpr std::array own = {Form::FixedPoint, Form::ShortFixedPoint, Form::RoundedBias};
  if (std::ranges::none_of(own, [&](Form form) { return anywhere.has(form); })) return;
  const FormSet forms =
      profile.allowed.of(op_named("quantized_decomposed.quantize_per_tensor.default").index, DType::F32);
  twice_ = forms.has(Form::FixedPoint);
  if (twice_) relative_ = 0x1p-31;
  // The mantissa of 31 bits is rounded once more, or cut where it would be 1.
  if (forms.has(Form::ShortFixedPoint)) relative_ = 0x1p-15 + 0x1p-30;
  // The scales' quotient in f32.
  if (relative_ > 0 && forms.has(Form::SingleScales)) relative_ += 0x1p-22;
  rounds_bias_ = forms.has(Form::RoundedBias);
  makers_ = value_makers(graph);
}

const Node* Requantization::maker(ValueId value) const {
  const std::optional<std::size_t> maker = makers_[value.index];
  return maker ? &graph_->nodes[*maker] : nullptr;
}

ValueId Requantization::origin(ValueId value) const {
  for (const Node* node = maker(value); node && passes_on(*node->op); node = maker(value)) {
    const auto* from = node->arguments.empty() ? nullptr : std::get_if<ValueId>(&node->arguments.front());
    if (!from || !from->valid()) break;
    value = *from;
  }
  return value;
}

std::optional<Requantization::Scales> Requantization::scales_of(ValueId value, std::span<const BallView> views) const {
  const Node* node = maker(origin(value));
  if (!node || !dequantizes(*node->op)) return std::nullopt;
  const Call call(*node->op, node->arguments, graph_->metas);
  Scales scales{INFINITY, 0, size_of(call.tensor(arg::input).dtype) == 1};
  const arg named = call.takes(arg::scales) ? arg::scales : arg::scale;
  if (!call.is_tensor(named)) {
    scales.low = scales.high = static_cast<double>(static_cast<float>(call.real(named)));
    if (!(scales.low > 0) || !std::isfinite(scales.high)) return std::nullopt;
    return scales;
  }
  const bool all = visit_scales(views[call.value(named).index], [&](double low, double high) {
    scales.low = std::min(scales.low, low);
    scales.high = std::max(scales.high, high);
  });
  return all && scales.high > 0 ? std::optional(scales) : std::nullopt;
}

Requantization::Error Requantization::error_of_product(double low, double high) const {
  Error error{relative_, 0};
  if (!twice_) return error;
  const int least = exponent(low * (1 - relative_));
  const int most = exponent(high * (1 + relative_));
  if (least < 0) error.absolute = std::ldexp(0.5, std::min(most, -1));
  return error;
}

std::optional<Requantization::Error> Requantization::error_of_sum(const Node& node, double scale,
                                                                  std::span<const BallView> views) const {
  if (relative_ == 0) return std::nullopt;
  std::optional<Scales> operands[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const auto* value = std::get_if<ValueId>(&node.arguments[i]);
    if (value) operands[i] = scales_of(*value, views);
    if (!operands[i]) return std::nullopt;
  }
  const bool narrow = operands[0]->narrow && operands[1]->narrow;
  const double unit = 2 * std::max(operands[0]->high, operands[1]->high) * (narrow ? 0x1p-20 : 0x1p-15);
  Error error = error_of_product(unit / scale, unit / scale);
  // Either operand may be off by a unit, and by its multiplier's error.
  error.absolute += 2 * unit / scale;
  const double reach = (operands[0]->high + operands[1]->high) * (narrow ? 0x1p8 : 0x1p16);
  error.absolute += 2 * relative_ * reach / scale;
  return error;
}

std::optional<Requantization::Error> Requantization::error_of(ValueId value, double scale,
                                                              std::span<const BallView> views) const {
  const ValueId made = origin(value);
  const Node* node = maker(made);
  if (!node) return std::nullopt;
  const auto rescaled = [&](ValueId operand, double count) -> std::optional<Error> {
    const std::optional<Scales> scales = scales_of(operand, views);
    if (!scales || relative_ == 0) return std::nullopt;
    Error error = error_of_product(scales->low / scale, scales->high / scale);
    const Error shared = error_of_product(scales->low / count / scale, scales->high / count / scale);
    error.absolute = std::max(error.absolute, shared.absolute);
    return error;
  };
  if (dequantizes(*node->op)) return rescaled(made, 1);
  const std::string_view name = functional(*node->op).name;
  if (name == "aten.add.Tensor" || name == "aten.sub.Tensor") return error_of_sum(*node, scale, views);
  if (std::ranges::find(averages, name) != averages.end()) {
    const auto operand = std::get<ValueId>(node->arguments.front());
    const auto results = static_cast<double>(std::max<int64_t>(graph_->meta(made).layout.numel(), 1));
    return rescaled(operand, std::max(static_cast<double>(graph_->meta(operand).layout.numel()) / results, 1.0));
  }
  if (name == "aten.cat.default") {
    std::optional<Error> most;
    for_each_value(node->arguments.front(), [&](ValueId operand) {
      const std::optional<Error> own = rescaled(operand, 1);
      if (own && (!most || own->absolute > most->absolute)) most = own;
    });
    return most;
  }
  const auto product = std::ranges::find(products, name, &Product::op);
  if (product == products.end()) return std::nullopt;
  Scales scales{1, 1, true};
  for (std::size_t i = product->first; i < product->first + 2; ++i) {
    const auto* operand = std::get_if<ValueId>(&node->arguments[i]);
    const std::optional<Scales> own = operand ? scales_of(*operand, views) : std::nullopt;
    if (!own) return std::nullopt;
    scales.low *= own->low;
    scales.high *= own->high;
  }
  Error error = error_of_product(scales.low / scale, scales.high / scale);
  // A bias is off by half a unit of the sum.
  if (rounds_bias_ && has_value(*node, product->bias)) error.absolute += scales.high / scale / 2;
  return error.relative + error.absolute > 0 ? std::optional(error) : std::nullopt;
}

void Requantization::widen(const Node& node, std::span<const BallView> views) const {
  if (makers_.empty() || !quantizes_by_tensor(*node.op)) return;
  const Call call(*node.op, node.arguments, graph_->metas);
  const auto number = [&](arg parameter) {
    if (!call.is_tensor(parameter)) return as_double(call.scalar(parameter));
    const BallView& view = views[call.value(parameter).index];
    const int64_t element = view.layout.offset;
    return view.floating() ? view.ball(element).mid : static_cast<double>(view.integer(element).value);
  };
  const double scale = static_cast<double>(static_cast<float>(number(arg::scale)));
  if (!(scale > 0) || !std::isfinite(scale)) return;
  const std::optional<Error> error = error_of(call.value(arg::input), scale, views);
  if (!error) return;
  const double zero_point = number(arg::zero_point);
  const double lowest = number(arg::quant_min);
  const double highest = number(arg::quant_max);
  const auto stored = [&](double whole) {
    return static_cast<int64_t>(std::clamp(whole + zero_point, lowest, std::max(lowest, highest)));
  };
  const BallView& input = views[call.value(arg::input).index];
  const BallView& result = views[node.results.front().index];
  const std::vector<int64_t> from = elements_of(input.layout);
  const std::vector<int64_t> to = elements_of(result.layout);
  for (std::size_t i = 0; i < to.size(); ++i) {
    IntegerBall& integer = result.integer(to[i]);
    if (!integer.decided() && !integer.is_interval()) continue;
    const RealRange x = RealRange::of(input.ball(from[i]));
    if (x.undecided != Undecided::No || x.may_nan) continue;
    const double most = std::max(std::fabs(x.low), std::fabs(x.high)) / scale;
    // The quotients here are rounded too.
    const double off = most * (error->relative + 0x1p-50) + error->absolute;
    if (!std::isfinite(off)) continue;
    // Ties go either way: those of a multiplier that is rounded do.
    const int64_t low = stored(std::ceil(x.low / scale - off - 0.5));
    const int64_t high = stored(std::floor(x.high / scale + off + 0.5));
    integer = IntegerBall::between(std::min(integer.lowest(), low), std::max(integer.highest(), high), integer.value,
                                   Undecided::InexactToInteger);
  }
}

}  // namespace parallax
