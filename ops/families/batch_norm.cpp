// Normalisation over the batch: batch_norm in its overloads, with the running statistics that training updates.
#include <algorithm>
#include <array>
#include <cmath>

#include "ops/ball_moments.h"
#include "ops/ball_normalize.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/inplace.h"
#include "ops/lanes.h"
#include "ops/plain/normalization_in_double.h"

namespace parallax {
namespace {

// The results after the normalized input.
constexpr int saved_mean_result = 1;
constexpr int saved_inverse_result = 2;

constexpr std::array statistics = {arg::running_mean, arg::running_var};

// An overload without the argument does not train.
bool trains(const Call& call) { return call.takes(arg::training) && call.boolean(arg::training); }

bool has_statistics(const Call& call) { return call.has(arg::running_mean); }

Result<void> check_parameter(const Call& call, arg parameter, int64_t channels) {
  // Eager reads past the end of a shorter one.
  if (!call.has(parameter) || call.tensor(parameter).layout.sizes == Dims{channels}) return {};
  return fail("{}: '{}' is not one number a channel", call.op().name, name(parameter));
}

// The running statistics are written while the other operands are read.
Result<void> check_statistics(const Call& call) {
  const bool mean = has_statistics(call);
  if (mean != call.has(arg::running_var)) return refuse("{} takes both running statistics or none", call.op().name);
  if (!trains(call)) {
    if (mean) return {};
    return fail("{} needs running statistics where it does not train", call.op().name);
  }
  if (call.tensor(arg::input).layout.numel() == 0) return refuse("{} of nothing", call.op().name);
  if (!mean) return {};
  for (const arg written : statistics) {
    TRY_VOID(check_writable(call, call.value(written)));
    for (const arg other : {arg::input, arg::weight, arg::bias, arg::running_mean, arg::running_var}) {
      if (other != written && call.has(other) && call.tensor(other).storage == call.tensor(written).storage)
        return fail("{}: the running statistics share memory with another operand", call.op().name);
    }
  }
  return {};
}

// Weight, bias and running statistics are of one dtype, in which the mean and the inverse deviation are saved.
Result<DType> parameters_of(const Call& call) {
  return parameter_dtype(call, {arg::weight, arg::bias, arg::running_mean, arg::running_var});
}

Metas infer_batch_norm(const Call& call) {
  const TensorMeta& self = call.tensor(arg::input);
  if (!is_floating(self.dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  if (self.layout.rank() < 2) return refuse("{} needs at least 2 dims", call.op().name);
  const int64_t channels = self.layout.sizes[1];
  for (const arg parameter : {arg::weight, arg::bias, arg::running_mean, arg::running_var}) {
    TRY_VOID(check_parameter(call, parameter, channels));
  }
  TRY_VOID(check_statistics(call));
  TRY(const DType parameters, parameters_of(call));
  TRY(const Layout layout, fresh_layout(self.layout, suggested_format(self.layout)));
  std::vector<ResultMeta> results = fresh_result(self.dtype, layout);
  if (call.op().schema.returns.size() == 1) return results;
  // Outside of training there are no statistics to save.
  const Layout saved = contiguous_layout({trains(call) ? channels : 0});
  results.insert(results.end(), 2, {parameters, saved, ValueId()});
  return results;
}

// momentum new + (1 - momentum) old, or old + momentum (new - old), put where the old is.
void update_statistic(const ReferenceCall& call, const BallMath& math, double momentum, const Ball& fresh,
                      const BallView& statistic, int64_t element) {
  Ball& old = statistic.ball(element);
  if (momentum == 0 && fresh.decided() && std::isfinite(fresh.mid) && !fresh.may_inf && !fresh.may_nan) return;
  const Ball kept = cast_ball(old, statistic.dtype, math.dtype(), call.profile());
  // 1 - momentum may be taken in the dtype.
  const Ball rest = math.sub(Ball::exact(1), math.scalar(momentum));
  Ball updated = math.add(math.mul(math.scalar(momentum), fresh), math.mul(rest, kept));
  if (updated.decided() && std::isfinite(updated.mid)) {
    const double far = std::fabs(momentum) * (reach(fresh) + reach(kept));
    // Statistics of a half may be updated in it: each product and their sum are rounded to it.
    const BallMath stored(statistic.dtype, call.profile());
    const double steps = statistic.dtype == math.dtype() ? 0 : 3 * stored.rounding(far + reach(kept));
    const Ball wider = math.with_error(updated.mid, updated.radius, 2 * math.rounding(far) + steps);
    updated =
        wider.decided() ? Ball{wider.mid, wider.radius, updated.may_nan, updated.may_inf || wider.may_inf} : wider;
  }
  old = cast_ball(updated, math.dtype(), statistic.dtype, call.profile());
}

// Eager's loop over operands that are not contiguous computes in the parameters' dtype: of halves, each step is rounded
// to a half.
bool may_round_each_step(DType parameters) { return parameters == DType::F16 || parameters == DType::BF16; }

// What the steps before the last one are off by: a difference, and its products with the inverse and the weight.
double error_of_steps(const BallMath& half, const Ball& deviation, const Ball& inverse, const Ball* weight) {
  const double scale = reach(inverse);
  const double scaled = reach(deviation) * scale;
  const double error =
      half.rounding(reach(deviation)) * scale + reach(deviation) * half.rounding(scale) + half.rounding(scaled);
  if (!weight) return error;
  return error * reach(*weight) + half.rounding(scaled * reach(*weight));
}

// The mean and the variance that a channel is normalized with, and what they are off the elements by.
void normalize_channel(const ReferenceCall& call, std::span<const int64_t> from, std::span<const int64_t> to,
                       std::size_t channel, const Ball* weight, const Ball* bias) {
  const BallView& output = call.output();
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const std::vector<Ball> lane = lane_balls(call.input(arg::input), from, accumulator, call.profile());
  const bool training = trains(call);
  const DType saved_as = *parameters_of(call);
  const BallMoments moments(math, lane);
  const auto statistic = [&](arg parameter) {
    const BallView& view = call.input(parameter);
    const int64_t element = view.layout.offset + static_cast<int64_t>(channel) * view.layout.strides[0];
    return element_as_ball(view, element, accumulator, call.profile());
  };
  const Ball mean = training ? moments.mean() : statistic(arg::running_mean);
  Ball variance = training ? moments.variance(0) : statistic(arg::running_var);
  // Eager stores that of halves, and its root, which weighs twice, as halves: the inverse is up to 1.08 units off.
  if (training && saved_as != accumulator) {
    variance = wider_by(math, variance, 3 * BallMath(saved_as, call.profile()).rounding(reach(variance)));
  }
  const Ball inverse = inverse_deviation(math, variance, call.real(arg::eps));
  const bool by_steps = may_round_each_step(saved_as);
  for (std::size_t k = 0; k < lane.size(); ++k) {
    const Ball deviation = training ? moments.deviation(k) : math.sub(lane[k], mean);
    Ball ball = normalized(math, {lane[k], mean, deviation, inverse, weight, bias}, saved_as);
    if (by_steps) {
      const double error = error_of_steps(BallMath(saved_as, call.profile()), deviation, inverse, weight);
      if (std::isfinite(error)) ball = wider_by(math, ball, error);
    }
    output.ball(to[k]) = cast_ball(ball, accumulator, output.dtype, call.profile());
  }
  if (!training) return;
  const auto element = static_cast<int64_t>(channel);
  if (call.outputs().size() > 1) {
    const BallView& saved_mean = call.output(saved_mean_result);
    const BallView& saved_inverse = call.output(saved_inverse_result);
    saved_mean.ball(element) = cast_ball(mean, accumulator, saved_mean.dtype, call.profile());
    saved_inverse.ball(element) = cast_ball(inverse, accumulator, saved_inverse.dtype, call.profile());
  }
  if (!has_statistics(call)) return;
  for (const arg parameter : statistics) {
    const BallView& view = call.input(parameter);
    // The variance that is kept is the unbiased one.
    update_statistic(call, math, call.real(arg::momentum), parameter == arg::running_mean ? mean : moments.variance(1),
                     view, view.layout.offset + element * view.layout.strides[0]);
  }
}

Result<void> reference_batch_norm(const ReferenceCall& call) {
  const Layout& self = call.input(arg::input).layout;
  if (self.numel() == 0) return {};
  DimMask reduced = all_dims(self.rank());
  reduced[1] = false;
  const Lanes from(self, reduced);
  const Lanes to(call.output().layout, reduced);
  const DType accumulator = accumulator_of(BallMath(call.output().dtype, call.profile()));
  const std::vector<Ball> weight = parameter_balls(call, arg::weight, accumulator);
  const std::vector<Ball> bias = parameter_balls(call, arg::bias, accumulator);
  for (std::size_t i = 0; i < from.size(); ++i) {
    normalize_channel(call, from[i], to[i], i, parameter_at(weight, i), parameter_at(bias, i));
  }
  return {};
}

// One number a channel.
bool fits_channels(const TensorMeta& input, const TensorMeta& parameter) {
  return parameter.dtype == input.dtype && parameter.layout.sizes == Dims{input.layout.sizes[1]};
}

// Two tensors that training may write: apart from each other and from the operands drawn before.
std::optional<std::array<ValueId, 2>> pick_written(SampleContext& context, const TensorMeta& input,
                                                   std::vector<ValueId> operands) {
  std::array<ValueId, 2> picked;
  for (ValueId& value : picked) {
    const auto found = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
      return candidate.writable && fits_channels(input, meta) && std::ranges::none_of(operands, [&](ValueId operand) {
               return context.meta(operand).storage == meta.storage;
             });
    });
    if (!found) return std::nullopt;
    value = *found;
    operands.push_back(*found);
  }
  return picked;
}

std::optional<std::vector<Argument>> sample_batch_norm(const Op& op, SampleContext& context) {
  const bool takes_statistics = op.schema.index_of(arg::running_mean) >= 0;
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= 2 && meta.layout.numel() > 0 &&
           (!takes_statistics || std::ranges::any_of(context.pool(), [&](const Candidate& candidate) {
             return fits_channels(meta, context.meta(candidate.value));
           }));
  });
  if (!self) return std::nullopt;
  const TensorMeta& input = context.meta(*self);
  const auto draw = [&] {
    return context.pick([&](const Candidate&, const TensorMeta& meta) { return fits_channels(input, meta); });
  };
  std::vector<Argument> arguments = {*self};
  std::vector<ValueId> operands = {*self};
  for (int i = 0; i < 2; ++i) {  // weight and bias
    const auto value = context.choices().chance(60) ? draw() : std::nullopt;
    arguments.push_back(value ? Argument(*value) : Argument());
    if (value) operands.push_back(*value);
  }
  // Where the schema does not say that training writes the statistics, they are drawn without it.
  bool training = !takes_statistics;
  if (takes_statistics) {
    const auto written = op.writes() ? pick_written(context, input, operands) : std::nullopt;
    training = written.has_value();
    arguments.emplace_back(written ? (*written)[0] : *draw());
    arguments.emplace_back(written ? (*written)[1] : *draw());
  }
  if (op.schema.index_of(arg::training) >= 0) arguments.emplace_back(std::in_place_type<Scalar>, training);
  constexpr double momentum = 0.25;
  constexpr double eps = 1e-5;
  arguments.emplace_back(std::in_place_type<Scalar>, momentum);
  arguments.emplace_back(std::in_place_type<Scalar>, eps);
  if (op.schema.index_of(arg::cudnn_enabled) >= 0) arguments.emplace_back(std::in_place_type<Scalar>, false);
  return arguments;
}

OpDef batch_norm(std::string_view schema, PlainFn plain = normalize_batch_plainly) {
  return {.schema = schema,
          .infer = infer_batch_norm,
          .reference = reference_batch_norm,
          .plain = plain,
          .sample = sample_batch_norm};
}

}  // namespace

std::vector<OpDef> batch_norm_family() {
  return {
      batch_norm(
          "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
          "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm(
          "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
          "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      // It always trains.
      batch_norm("_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float "
                 "momentum, float eps) -> (Tensor, Tensor, Tensor)",
                 nullptr),
      batch_norm("_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor "
                 "running_mean, Tensor "
                 "running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm(
          "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
          "training, float momentum, float eps, bool cudnn_enabled) -> Tensor"),
  };
}

}  // namespace parallax
