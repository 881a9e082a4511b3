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

namespace parallax {
namespace {

using Metas = Result<std::vector<ResultMeta>>;

constexpr int weight_parameter = 1;
constexpr int bias_parameter = 2;

// Where the other parameters of an overload stand; -1 for one that it does not have.
struct Form {
  int mean = -1;
  int variance = -1;
  int training = -1;  // not there: it does not train
  int momentum = -1;
  int eps = -1;
};
constexpr Form with_statistics = {3, 4, 5, 6, 7};
constexpr Form without_statistics = {.training = 3, .momentum = 4, .eps = 5};
constexpr Form inference = {3, 4, -1, 5, 6};

template <const Form& form>
bool trains(const Call& call) {
  return form.training >= 0 && call.boolean(form.training);
}

template <const Form& form>
bool has_statistics(const Call& call) {
  return form.mean >= 0 && call.has(form.mean);
}

Result<void> check_parameter(const Call& call, int parameter, int64_t channels) {
  // Eager reads past the end of a shorter one.
  if (!call.has(parameter) || call.tensor(parameter).layout.sizes == Dims{channels}) return {};
  return fail("{}: '{}' is not one number a channel", call.op().name,
              call.op().schema.parameters[static_cast<std::size_t>(parameter)].name);
}

// The running statistics are written while the other operands are read.
template <const Form& form>
Result<void> check_statistics(const Call& call) {
  const bool mean = has_statistics<form>(call);
  if (form.mean >= 0 && mean != call.has(form.variance))
    return refuse("{} takes both running statistics or none", call.op().name);
  if (!trains<form>(call)) {
    if (mean) return {};
    return fail("{} needs running statistics where it does not train", call.op().name);
  }
  if (call.tensor(0).layout.numel() == 0) return refuse("{} of nothing", call.op().name);
  if (!mean) return {};
  for (int written : {form.mean, form.variance}) {
    TRY_VOID(check_writable(call, call.value(written)));
    for (int i = 0; i <= form.variance; ++i) {
      if (i != written && call.has(i) && call.tensor(i).storage == call.tensor(written).storage)
        return fail("{}: the running statistics share memory with another operand", call.op().name);
    }
  }
  return {};
}

// Weight, bias and running statistics are of one dtype, in which the mean and the inverse deviation are saved.
template <const Form& form>
Result<DType> parameters_of(const Call& call) {
  if (!has_statistics<form>(call)) return parameter_dtype(call, {weight_parameter, bias_parameter});
  return parameter_dtype(call, {weight_parameter, bias_parameter, form.mean, form.variance});
}

template <const Form& form>
Metas infer_batch_norm(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  if (!is_floating(self.dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  if (self.layout.rank() < 2) return refuse("{} needs at least 2 dims", call.op().name);
  const int64_t channels = self.layout.sizes[1];
  for (int i = weight_parameter; i <= std::max<int>(bias_parameter, form.variance); ++i) {
    TRY_VOID(check_parameter(call, i, channels));
  }
  TRY_VOID(check_statistics<form>(call));
  TRY(const DType parameters, parameters_of<form>(call));
  TRY(const Layout layout, fresh_layout(self.layout, suggested_format(self.layout)));
  std::vector<ResultMeta> results = fresh_result(self.dtype, layout);
  if (call.op().schema.returns.size() == 1) return results;
  // Outside of training there are no statistics to save.
  const Layout saved = contiguous_layout({trains<form>(call) ? channels : 0});
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
    const Ball wider = math.with_error(updated.mid, updated.radius, 2 * math.rounding(far));
    updated =
        wider.decided() ? Ball{wider.mid, wider.radius, updated.may_nan, updated.may_inf || wider.may_inf} : wider;
  }
  old = cast_ball(updated, math.dtype(), statistic.dtype, call.profile());
}

// The mean and the variance that a channel is normalized with, and what they are off the elements by.
template <const Form& form>
void normalize_channel(const ReferenceCall& call, std::span<const int64_t> from, std::span<const int64_t> to,
                       std::size_t channel, const Ball* weight, const Ball* bias) {
  const BallView& output = call.output();
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const std::vector<Ball> lane = lane_balls(call.input(0), from, accumulator, call.profile());
  const bool training = trains<form>(call);
  const DType saved_as = *parameters_of<form>(call);
  const BallMoments moments(math, lane);
  const auto statistic = [&](int parameter) {
    const BallView& view = call.input(parameter);
    const int64_t element = view.layout.offset + static_cast<int64_t>(channel) * view.layout.strides[0];
    return element_as_ball(view, element, accumulator, call.profile());
  };
  const Ball mean = training ? moments.mean() : statistic(form.mean);
  const Ball variance = training ? moments.variance(0) : statistic(form.variance);
  const Ball inverse = inverse_deviation(math, variance, call.real(form.eps));
  for (std::size_t k = 0; k < lane.size(); ++k) {
    const Ball deviation = training ? moments.deviation(k) : math.sub(lane[k], mean);
    const Ball ball = normalized(math, {lane[k], mean, deviation, inverse, weight, bias}, saved_as);
    output.ball(to[k]) = cast_ball(ball, accumulator, output.dtype, call.profile());
  }
  if (!training) return;
  const auto element = static_cast<int64_t>(channel);
  if (call.outputs().size() > 1) {
    call.output(1).ball(element) = cast_ball(mean, accumulator, call.output(1).dtype, call.profile());
    call.output(2).ball(element) = cast_ball(inverse, accumulator, call.output(2).dtype, call.profile());
  }
  if (!has_statistics<form>(call)) return;
  for (int parameter : {form.mean, form.variance}) {
    const BallView& view = call.input(parameter);
    // The variance that is kept is the unbiased one.
    update_statistic(call, math, call.real(form.momentum), parameter == form.mean ? mean : moments.variance(1), view,
                     view.layout.offset + element * view.layout.strides[0]);
  }
}

template <const Form& form>
Result<void> reference_batch_norm(const ReferenceCall& call) {
  const Layout& self = call.input(0).layout;
  if (self.numel() == 0) return {};
  DimMask reduced = all_dims(self.rank());
  reduced[1] = false;
  const Lanes from(self, reduced);
  const Lanes to(call.output().layout, reduced);
  const DType accumulator = accumulator_of(BallMath(call.output().dtype, call.profile()));
  const std::vector<Ball> weight = parameter_balls(call, weight_parameter, accumulator);
  const std::vector<Ball> bias = parameter_balls(call, bias_parameter, accumulator);
  for (std::size_t i = 0; i < from.size(); ++i) {
    normalize_channel<form>(call, from[i], to[i], i, parameter_at(weight, i), parameter_at(bias, i));
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

template <const Form& form>
std::optional<std::vector<Argument>> sample_batch_norm(const Op& op, SampleContext& context) {
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= 2 && meta.layout.numel() > 0 &&
           (form.mean < 0 ||
            std::ranges::any_of(
                context.pool(),
                [&](const Candidate& candidate) { return fits_channels(meta, context.meta(candidate.value)); }));
  });
  if (!self) return std::nullopt;
  const TensorMeta& input = context.meta(*self);
  const auto draw = [&] {
    return context.pick([&](const Candidate&, const TensorMeta& meta) { return fits_channels(input, meta); });
  };
  std::vector<Argument> arguments = {*self};
  std::vector<ValueId> operands = {*self};
  while (arguments.size() <= bias_parameter) {
    const auto value = context.choices().chance(60) ? draw() : std::nullopt;
    arguments.push_back(value ? Argument(*value) : Argument());
    if (value) operands.push_back(*value);
  }
  // Where the schema does not say that training writes the statistics, they are drawn without it.
  bool training = form.mean < 0;
  if (form.mean >= 0) {
    const auto written = op.writes() ? pick_written(context, input, operands) : std::nullopt;
    training = written.has_value();
    arguments.emplace_back(written ? (*written)[0] : *draw());
    arguments.emplace_back(written ? (*written)[1] : *draw());
  }
  if (form.training >= 0) arguments.emplace_back(std::in_place_type<Scalar>, training);
  constexpr double momentum = 0.25;
  constexpr double eps = 1e-5;
  arguments.emplace_back(std::in_place_type<Scalar>, momentum);
  arguments.emplace_back(std::in_place_type<Scalar>, eps);
  if (op.schema.index_of("cudnn_enabled") >= 0) arguments.emplace_back(std::in_place_type<Scalar>, false);
  return arguments;
}

template <const Form& form>
OpDef batch_norm(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_batch_norm<form>,
          .reference = reference_batch_norm<form>,
          .sample = sample_batch_norm<form>};
}

}  // namespace

std::vector<OpDef> batch_norm_family() {
  return {
      batch_norm<with_statistics>(
          "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
          "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm<with_statistics>(
          "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) "
          "running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm<without_statistics>("_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, "
                                     "bool training, float momentum, "
                                     "float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm<inference>("_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor "
                            "running_mean, Tensor "
                            "running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)"),
      batch_norm<with_statistics>(
          "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
          "training, float momentum, float eps, bool cudnn_enabled) -> Tensor"),
  };
}

}  // namespace parallax
