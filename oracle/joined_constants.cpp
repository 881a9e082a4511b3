#include "oracle/joined_constants.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "graph/written_operands.h"
#include "ops/argument_name.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/registry.h"

namespace parallax {
namespace {

enum class Step { Add, Subtract, SubtractFrom, Multiply, Divide, Negate };

std::optional<Step> step_of(const Op& op) {
  static const std::unordered_map<const Op*, Step> steps = [] {
    std::unordered_map<const Op*, Step> all = {{&op_named("aten.neg.default"), Step::Negate}};
    for (const auto& [name, step] :
         {std::pair{"add", Step::Add}, std::pair{"sub", Step::Subtract}, std::pair{"rsub", Step::SubtractFrom},
          std::pair{"mul", Step::Multiply}, std::pair{"div", Step::Divide}}) {
      for (const char* overload : {"Tensor", "Scalar"}) {
        all.emplace(&op_named(std::string("aten.") + name + "." + overload), step);
      }
    }
    return all;
  }();
  const auto known = steps.find(op.functional != nullptr ? op.functional : &op);
  return known == steps.end() ? std::nullopt : std::optional(known->second);
}

bool is_dequantize(const Op& op) {
  static const Op& dequantize = op_named("quantized_decomposed.dequantize_per_tensor.default");
  return &op == &dequantize;
}

// Whether the sums and products that a dequantized element consists of may be joined.
bool joins_dequantized(const Profile& profile, DType dtype) {
  static const Op& product = op_named("aten.mul.Tensor");
  return allows(profile, Form::JoinedConstants, product, dtype);
}

bool is_power_of_two(double x) { return x != 0 && std::fabs(x) == std::ldexp(1.0, std::ilogb(x)); }

// An operand that is known when a program is compiled, element by element.
class ConstantOperand {
 public:
  ConstantOperand(const Argument& argument, std::span<const BallView> views, const Dims& sizes, DType dtype,
                  const Profile& profile)
      : dtype_(dtype), profile_(&profile) {
    if (const auto* value = std::get_if<ValueId>(&argument)) {
      view_ = &views[value->index];
      elements_ = elements_of(*broadcast_to(view_->layout, sizes));
    } else {
      number_ = as_double(std::get<Scalar>(argument));
    }
  }

  Ball operator[](std::size_t i) const {
    return view_ != nullptr ? element_as_ball(*view_, elements_[i], dtype_, *profile_) : Ball::exact(number_);
  }

 private:
  DType dtype_;
  const Profile* profile_;
  const BallView* view_ = nullptr;
  std::vector<int64_t> elements_;
  double number_ = 0;
};

Ball times(const Ball& constant, double number) {
  return {constant.mid * number, constant.radius * std::fabs(number), false, false, Undecided::No, -1};
}

// The roundings of a quotient, which may be a product with a reciprocal that is rounded first.
double units_of_division(const Profile& profile, DType dtype) {
  const double units = size_of(dtype) == 2 ? 1 : 2 * profile.error_of(FunctionKind::Division, dtype).ulp;
  return 1 + std::max(units, 1.0);
}

}  // namespace

ConstantChain::ConstantChain(const Ball& base)
    : base_(reach(base)),
      magnitude_(reach(base)),
      inherited_(base.radius),
      peak_(std::max(reach(base), 1.0)),
      lowest_(base.mid == 0 ? Factor::no_bit : lowest_bit(base.mid)),
      exact_(base.radius == 0) {}

void ConstantChain::scale(const Ball& factor, double error_units) {
  const double size = reach(factor);
  const bool shifts_exponent = factor.radius == 0 && is_power_of_two(factor.mid);
  scales_ += !(factor.radius == 0 && std::fabs(factor.mid) == 1);
  if (!shifts_exponent) roundings_ += error_units;
  exact_ = exact_ && factor.radius == 0 && (shifts_exponent || error_units <= 1);
  if (factor.mid != 0 && lowest_ != Factor::no_bit) lowest_ += lowest_bit(factor.mid);
  inherited_ = inherited_ * size + magnitude_ * factor.radius;
  magnitude_ *= size;
  growth_ *= std::max(size, 1.0);
  shrinkage_ *= size == 0 ? 1 : std::min(clearance(factor), 1.0);
  peak_ *= std::max(size, 1.0);
}

void ConstantChain::shift(const Ball& term) {
  const double size = reach(term);
  if (size == 0) return;
  shifts_ += 1;
  roundings_ += 1;
  exact_ = exact_ && term.radius == 0;
  if (term.mid != 0) lowest_ = std::min(lowest_, lowest_bit(term.mid));
  inherited_ += term.radius;
  magnitude_ += size;
  peak_ += size;
}

bool ConstantChain::on_exact_grid(const DTypeInfo& format, const Profile& profile) const {
  if (!exact_) return false;
  if (lowest_ == Factor::no_bit) return true;
  const double least = profile.flush_to_zero ? format.smallest_normal : format.smallest_subnormal;
  if (lowest_ < std::ilogb(least)) return false;
  return magnitude_ <= std::ldexp(1.0, lowest_ + format.precision);
}

Ball ConstantChain::widened(const Ball& ball, DType dtype, const Profile& profile) const {
  if (scales_ + shifts_ < 2 || !is_plain(ball)) return ball;
  const DTypeInfo& format = info(dtype);
  if (peak_ >= format.max_finite) return Ball::unknown(Undecided::Unbounded);
  if (on_exact_grid(format, profile)) return ball;
  double error = relative_error(roundings_, profile.unit_roundoff(dtype)) * magnitude_;
  // What is flushed, or loses bits below the normal numbers, is off by as much absolutely: once for every product of a
  // monomial, and for every sum where those are flushed. A constant factor takes that times the value along.
  const double underflow = profile.underflow(dtype);
  error += (scales_ * (shifts_ + 1) + (profile.flush_to_zero ? shifts_ : 0)) * underflow * growth_;
  if (shrinkage_ < format.smallest_normal) error += scales_ * underflow * growth_ * base_;
  // The centres are computed in double.
  const double radius = (inherited_ + error + (scales_ + shifts_ + 1) * 0x1p-50 * magnitude_) * (1 + 0x1p-50);
  if (radius <= ball.radius) return ball;
  Ball wider = ball;
  wider.radius = radius;
  wider.deviation = -1;
  if (std::fabs(wider.mid) + radius >= format.max_finite) wider.may_inf = true;
  return wider;
}

namespace {

// A dequantized element of 8 bits, (q - z) s, may be q s - z s. Where a pair of quantize and dequantize is made into one
// step over the range of the integers, it is the range's lowest end and up to 255 steps, each a quotient of the range:
// a difference, a quotient and a product are rounded. Either way it is off by the roundings of numbers as large as the end
// that is the farthest from 0.
std::vector<ConstantChain> dequantized_chains(const Node& node, std::span<const BallView> views, const Graph& graph,
                                              const Profile& profile) {
  const BallView& view = views[std::get<ValueId>(node.arguments[0]).index];
  const DType dtype = graph.meta(node.results[0]).dtype;
  if (size_of(view.dtype) != 1 || !joins_dequantized(profile, dtype)) return {};
  const Call call(*node.op, node.arguments, graph.metas);
  const double scale = call.real(arg::scale);
  const double zero_point = call.real(arg::zero_point);
  const auto lowest = static_cast<double>(info(view.dtype).min_integer);
  const auto highest = static_cast<double>(info(view.dtype).max_integer);
  const double end = std::max(std::fabs(lowest - zero_point), std::fabs(highest - zero_point)) * std::fabs(scale);
  const std::vector<int64_t> elements = elements_of(view.layout);
  std::vector<ConstantChain> chains(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Ball q = element_as_ball(view, elements[i], dtype, profile);
    if (!is_plain(q)) continue;
    chains[i] = ConstantChain({highest - lowest, q.radius, false, false, Undecided::No, -1});
    chains[i].scale(Ball::exact(scale), 3);
    chains[i].shift(Ball::exact(end));
    chains[i].round_constant();
  }
  return chains;
}

}  // namespace

JoinedConstants::JoinedConstants(const Graph& graph, const Profile& profile)
    : graph_(&graph), profile_(&profile), allowed_(profile.allowed.anywhere().has(Form::JoinedConstants)) {
  if (allowed_) find_constants(graph);
}

// What no input and no state goes into. A storage is written to after it is read, so the marks go to a fixed point.
void JoinedConstants::find_constants(const Graph& graph) {
  constant_.assign(graph.storages.size(), true);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    if (!graph.storages[s].name.empty()) constant_[s] = false;
  }
  for (const Source& source : graph.sources) {
    if (source.kind != SourceKind::Constant) constant_[graph.meta(source.value).storage.index] = false;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : graph.nodes) {
      if (std::ranges::all_of(node.arguments, [&](const Argument& argument) { return is_constant(argument); }))
        continue;
      const auto mark = [&](ValueId value) {
        const std::size_t storage = graph.meta(value).storage.index;
        changed = changed || constant_[storage];
        constant_[storage] = false;
      };
      std::ranges::for_each(node.results, mark);
      for_each_written(node, mark);
    }
  }
}

bool JoinedConstants::is_constant(const Argument& argument) const {
  bool constant = true;
  for_each_value(argument, [&](ValueId value) { constant = constant && constant_[graph_->meta(value).storage.index]; });
  return constant;
}

void JoinedConstants::start() {
  if (!allowed_) return;
  chains_.assign(graph_->storages.size(), {});
}

void JoinedConstants::note(const Node& node, std::span<const BallView> views) {
  noted_.clear();
  if (!allowed_ || node.results.size() != 1) return;
  if (is_dequantize(*node.op)) {
    noted_ = dequantized_chains(node, views, *graph_, *profile_);
    return;
  }
  const std::optional<Step> step = step_of(*node.op);
  const TensorMeta& result = graph_->meta(node.results[0]);
  if (!step || !allows(*profile_, Form::JoinedConstants, *node.op, result.dtype)) return;
  const bool has_other = *step != Step::Negate;
  const bool first_varies = !is_constant(node.arguments[0]);
  // A sum of two values, and a constant divided by one, start anew.
  if (has_other && first_varies != is_constant(node.arguments[1])) return;
  if (!first_varies && (!has_other || *step == Step::Divide)) return;
  const auto& value = std::get<ValueId>(node.arguments[first_varies ? 0 : 1]);
  const BallView& view = views[value.index];
  if (!view.floating()) return;

  const Dims& sizes = result.layout.sizes;
  const std::vector<int64_t> elements = elements_of(*broadcast_to(view.layout, sizes));
  std::optional<ConstantOperand> constant;
  if (has_other) constant.emplace(node.arguments[first_varies ? 1 : 0], views, sizes, result.dtype, *profile_);
  const Call call(*node.op, node.arguments, graph_->metas);
  const double alpha = call.takes(arg::alpha) ? call.real(arg::alpha) : 1;
  const bool alpha_is_of_value = first_varies == (*step == Step::SubtractFrom);
  const std::vector<ConstantChain>& chains = chains_[graph_->meta(value).storage.index];
  noted_.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto element = static_cast<std::size_t>(elements[i]);
    const Ball base = element_as_ball(view, elements[i], result.dtype, *profile_);
    const Ball number = constant ? (*constant)[i] : Ball::exact(-1);
    if (!is_plain(base) || !is_plain(number)) continue;
    const bool goes_on = view.dtype == result.dtype && element < chains.size() && chains[element].started();
    ConstantChain chain = goes_on ? chains[element] : ConstantChain(base);
    if (number.is_exact() && round_to(result.dtype, number.mid) != number.mid) chain.round_constant();
    switch (*step) {
      case Step::Negate:
        chain.scale(number, 0);
        break;
      case Step::Multiply:
        chain.scale(number, 1);
        break;
      case Step::Divide: {
        if (contains_zero(number)) continue;
        const double low = 1 / reach(number);
        const double high = 1 / clearance(number);
        const Ball reciprocal = {1 / number.mid, high - low, false, false, Undecided::No, -1};
        chain.scale(reciprocal, units_of_division(*profile_, result.dtype));
        break;
      }
      case Step::Add:
      case Step::Subtract:
      case Step::SubtractFrom:
        if (alpha_is_of_value) chain.scale(Ball::exact(alpha), 1);
        chain.shift(alpha_is_of_value ? number : times(number, alpha));
        if (!alpha_is_of_value && !is_power_of_two(alpha)) chain.round_constant();
        break;
    }
    noted_[i] = chain;
  }
}

void JoinedConstants::widen(const Node& node, std::span<const BallView> views) {
  if (!allowed_ || node.op->is_view()) return;
  const auto forget = [&](ValueId value) {
    std::vector<ConstantChain>& chains = chains_[graph_->meta(value).storage.index];
    if (chains.empty()) return;
    for_each_element(views[value.index].layout,
                     [&](int64_t element) { chains[static_cast<std::size_t>(element)] = ConstantChain(); });
  };
  std::ranges::for_each(node.results, forget);
  for_each_written(node, forget);
  if (noted_.empty()) return;
  const BallView& result = views[node.results[0].index];
  std::vector<ConstantChain>& chains = chains_[graph_->meta(node.results[0]).storage.index];
  chains.resize(result.storage->balls.size());
  std::size_t i = 0;
  for_each_element(result.layout, [&](int64_t element) {
    const ConstantChain& chain = noted_[i++];
    Ball& ball = result.ball(element);
    ball = chain.widened(ball, result.dtype, *profile_);
    chains[static_cast<std::size_t>(element)] = chain;
  });
}

}  // namespace parallax
