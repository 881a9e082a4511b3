// Normalisation within one sample: layer_norm, group_norm, rms_norm.
#include <algorithm>
#include <limits>

#include "ops/ball_moments.h"
#include "ops/ball_normalize.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/lanes.h"
#include "ops/plain/normalization_in_double.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// The last dims, which `normalized_shape` repeats.
Result<DimMask> normalized_dims(const Call& call) {
  const Dims& sizes = call.tensor(arg::input).layout.sizes;
  const IntList& shape = call.integers(arg::normalized_shape);
  if (shape.empty()) return refuse("{} needs a shape of at least one dim", call.op().name);
  const auto rank = static_cast<int>(shape.size());
  if (rank > sizes.size() || !std::equal(shape.begin(), shape.end(), sizes.end() - rank)) {
    return refuse("{}: the input [{}] does not end in the normalized shape", call.op().name, to_string(sizes));
  }
  DimMask mask(static_cast<std::size_t>(sizes.size()), false);
  std::fill(mask.end() - rank, mask.end(), true);
  return mask;
}

// A parameter has the normalized shape.
Result<void> check_shape(const Call& call, arg parameter) {
  if (!call.has(parameter)) return {};
  const Dims& sizes = call.tensor(parameter).layout.sizes;
  const IntList& shape = call.integers(arg::normalized_shape);
  if (!std::equal(sizes.begin(), sizes.end(), shape.begin(), shape.end())) {
    return refuse("{}: a parameter of shape [{}]", call.op().name, to_string(sizes));
  }
  return {};
}

Metas infer_layer_norm(const Call& call) {
  const TensorMeta& self = call.tensor(arg::input);
  if (!is_floating(self.dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY(const DimMask reduced, normalized_dims(call));
  TRY_VOID(check_shape(call, arg::weight));
  TRY_VOID(check_shape(call, arg::bias));
  TRY(const DType parameters, parameter_dtype(call, {arg::weight, arg::bias}));
  std::vector<ResultMeta> results = fresh_result(self.dtype, contiguous_layout(self.layout.sizes));
  if (call.op().schema.returns.size() == 1) return results;
  const Layout moments = contiguous_layout(reduced_sizes(self.layout.sizes, reduced, true));
  results.insert(results.end(), 2, {parameters, moments, ValueId()});
  return results;
}

// One lane's results: a lane that is normalized, where its elements go, and its mean and inverse deviation.
struct NormalizedLane {
  std::span<const int64_t> from;
  std::span<const int64_t> to;
  int64_t number = 0;
  DType saved_as = DType::F32;  // what the moments are saved in
};

// Normalizes a lane; `parameter(k)` is the place in weight and bias of its element k.
template <class Parameter>
void normalize_lane(const ReferenceCall& call, const NormalizedLane& at, double eps, const std::vector<Ball>& weight,
                    const std::vector<Ball>& bias, Parameter&& parameter) {
  const BallView& output = call.output();
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const std::vector<Ball> lane = lane_balls(call.input(arg::input), at.from, accumulator, call.profile());
  const BallMoments moments(math, lane);
  const Ball mean = moments.mean();
  const Ball inverse = inverse_deviation(math, moments.variance(0), eps);
  for (std::size_t k = 0; k < lane.size(); ++k) {
    const std::size_t place = parameter(k);
    const Ball ball = normalized(
        math, {lane[k], mean, moments.deviation(k), inverse, parameter_at(weight, place), parameter_at(bias, place)},
        at.saved_as);
    output.ball(at.to[k]) = cast_ball(ball, accumulator, output.dtype, call.profile());
  }
  if (call.outputs().size() == 1) return;
  // Eager does not compute the moments of no elements.
  const Ball none = Ball::unknown(Undecided::Uninitialized);
  const BallView& means = call.output(mean_result);
  const BallView& inverses = call.output(inverse_result);
  means.ball(at.number) = lane.empty() ? none : cast_ball(mean, accumulator, means.dtype, call.profile());
  inverses.ball(at.number) = lane.empty() ? none : cast_ball(inverse, accumulator, inverses.dtype, call.profile());
}

// The accumulator of halves holds their parameters too.
DType parameters_as(const ReferenceCall& call) { return accumulator_of(BallMath(call.output().dtype, call.profile())); }

// Nothing is computed for an empty tensor, which may have any number of lanes of no elements.
bool has_no_result(const ReferenceCall& call) {
  return call.outputs().size() == 1 && call.output().layout.numel() == 0;
}

Result<void> reference_layer_norm(const ReferenceCall& call) {
  if (has_no_result(call)) return {};
  const DimMask reduced = *normalized_dims(call);
  const Lanes from(call.input(arg::input).layout, reduced);
  const Lanes to(call.output().layout, reduced);
  const DType saved_as = *parameter_dtype(call, {arg::weight, arg::bias});
  const std::vector<Ball> weight = parameter_balls(call, arg::weight, parameters_as(call));
  const std::vector<Ball> bias = parameter_balls(call, arg::bias, parameters_as(call));
  for (std::size_t i = 0; i < from.size(); ++i) {
    normalize_lane(call, {from[i], to[i], static_cast<int64_t>(i), saved_as}, call.real(arg::eps), weight, bias,
                   [](std::size_t k) { return k; });
  }
  return {};
}

// How many elements are normalized together.
std::size_t normalized_count(const Call& call) {
  return static_cast<std::size_t>(reduced_count(call.tensor(arg::input).layout.sizes, *normalized_dims(call)));
}

bool plain_layer_norm(const ReferenceCall& call) {
  return normalize_plainly(call, normalized_count(call), call.real(arg::eps),
                           [](std::size_t, std::size_t k) { return k; });
}

// rms_norm: no mean is taken off, and eps is that of the dtype it is computed in where it is None.
Metas infer_rms_norm(const Call& call) {
  const TensorMeta& self = call.tensor(arg::input);
  if (!is_floating(self.dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY_VOID(normalized_dims(call));
  TRY_VOID(check_shape(call, arg::weight));
  if (call.has(arg::weight) && call.tensor(arg::weight).dtype != self.dtype)
    return fail("{}: a weight of another dtype is not supported", call.op().name);
  TRY(const Layout layout, fresh_layout(self.layout, suggested_format(self.layout)));
  return fresh_result(self.dtype, layout);
}

// The eps that is given, or that of the dtype it is computed in.
double eps_of_rms_norm(const ReferenceCall& call, DType accumulator) {
  if (call.has(arg::eps)) return call.real(arg::eps);
  return accumulator == DType::F64 ? std::numeric_limits<double>::epsilon()
                                   : static_cast<double>(std::numeric_limits<float>::epsilon());
}

bool plain_rms_norm(const ReferenceCall& call) {
  return normalize_squares_plainly(call, normalized_count(call), eps_of_rms_norm(call, parameters_as(call)));
}

Result<void> reference_rms_norm(const ReferenceCall& call) {
  if (has_no_result(call)) return {};
  const DimMask reduced = *normalized_dims(call);
  const Lanes from(call.input(arg::input).layout, reduced);
  const Lanes to(call.output().layout, reduced);
  const DType accumulator = parameters_as(call);
  const BallMath math(accumulator, call.profile());
  const std::vector<Ball> weight = parameter_balls(call, arg::weight, accumulator);
  const double eps = eps_of_rms_norm(call, accumulator);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::vector<Ball> lane = lane_balls(call.input(arg::input), from[i], accumulator, call.profile());
    BallSum squares(math);
    for (const Ball& x : lane) squares.add(math.mul_same(x));
    const Ball mean = divided_by_count(math, not_negative(squares.result()), static_cast<int64_t>(lane.size()));
    const Ball inverse = inverse_deviation(math, not_negative(mean), eps);
    for (std::size_t k = 0; k < lane.size(); ++k) {
      Ball ball = math.mul(lane[k], inverse);
      if (!weight.empty()) ball = math.mul(ball, weight[k]);
      call.output().ball(to[i][k]) = cast_ball(ball, accumulator, call.output().dtype, call.profile());
    }
  }
  return {};
}

// native_group_norm names the batch, the channels and the elements a channel; group_norm takes them from the sizes.
struct GroupShape {
  int64_t batch = 0;
  int64_t channels = 0;
  int64_t inner = 0;
  int64_t groups = 0;
};

bool is_native(const Call& call) { return call.op().schema.returns.size() > 1; }

Result<GroupShape> group_shape(const Call& call) {
  const Dims& sizes = call.tensor(arg::input).layout.sizes;
  GroupShape shape;
  if (is_native(call)) {
    shape = {call.integer(arg::N), call.integer(arg::C), call.integer(arg::HxW), call.integer(arg::group)};
    const auto count = checked_numel(IntList{shape.batch, shape.channels, shape.inner});
    if (!count || *count != call.tensor(arg::input).layout.numel())
      return refuse("{}: the sizes are not those of the input", call.op().name);
  } else {
    if (sizes.size() < 2) return refuse("{} needs at least 2 dims", call.op().name);
    shape = {sizes[0], sizes[1], 1, call.integer(arg::num_groups)};
    for (int i = 2; i < sizes.size(); ++i) shape.inner *= sizes[i];
  }
  if (shape.groups <= 0 || shape.channels % shape.groups != 0)
    return refuse("{}: {} channels in {} groups", call.op().name, shape.channels, shape.groups);
  return shape;
}

Metas infer_group_norm(const Call& call) {
  const TensorMeta& self = call.tensor(arg::input);
  if (!is_floating(self.dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY(const GroupShape shape, group_shape(call));
  for (const arg parameter : {arg::weight, arg::bias}) {
    if (call.has(parameter) && !(call.tensor(parameter).layout.sizes == Dims{shape.channels}))
      return refuse("{}: a parameter that is not one number a channel", call.op().name);
    // Eager's kernel reads the parameters' memory in order, whatever their strides are.
    if (call.has(parameter) && is_native(call) && !is_contiguous(call.tensor(parameter).layout))
      return fail("{}: a parameter that is not contiguous is not supported", call.op().name);
  }
  TRY(const DType parameters, parameter_dtype(call, {arg::weight, arg::bias}));
  const MemoryFormat format = suggested_format(self.layout);
  if (is_native(call)) {
    const bool dense = format == MemoryFormat::Contiguous ? is_contiguous(self.layout)
                                                          : is_in_format(self.layout, format).value_or(false);
    if (!dense) return refuse("{} takes contiguous and channels-last inputs only", call.op().name);
    const bool named =
        self.layout.rank() >= 2 && self.layout.sizes[0] == shape.batch && self.layout.sizes[1] == shape.channels;
    if (format != MemoryFormat::Contiguous && !named)
      return fail("{}: other sizes than those of a channels-last input are not supported", call.op().name);
  }
  TRY(const Layout layout, fresh_layout(self.layout, format));
  std::vector<ResultMeta> results = fresh_result(self.dtype, layout);
  if (!is_native(call)) return results;
  const auto count = checked_numel(IntList{shape.batch, shape.groups});
  if (!count) return fail("{}: too many groups", call.op().name);
  results.insert(results.end(), 2, {parameters, contiguous_layout({shape.batch, shape.groups}), ValueId()});
  return results;
}

// The groups are stretches of the elements in row-major order, and the channels stretches of a group.
Result<void> reference_group_norm(const ReferenceCall& call) {
  if (has_no_result(call)) return {};
  const GroupShape shape = *group_shape(call);
  const std::vector<int64_t> from = elements_of(call.input(arg::input).layout);
  const std::vector<int64_t> to = elements_of(call.output().layout);
  const DType saved_as = *parameter_dtype(call, {arg::weight, arg::bias});
  const std::vector<Ball> weight = parameter_balls(call, arg::weight, parameters_as(call));
  const std::vector<Ball> bias = parameter_balls(call, arg::bias, parameters_as(call));
  const int64_t channels = shape.channels / shape.groups;
  const auto length = static_cast<std::size_t>(channels * shape.inner);
  for (int64_t i = 0; i < shape.batch * shape.groups; ++i) {
    const std::size_t start = static_cast<std::size_t>(i) * length;
    const int64_t first_channel = i % shape.groups * channels;
    normalize_lane(call, {std::span(from).subspan(start, length), std::span(to).subspan(start, length), i, saved_as},
                   call.real(arg::eps), weight, bias, [&](std::size_t k) {
                     return static_cast<std::size_t>(first_channel + static_cast<int64_t>(k) / shape.inner);
                   });
  }
  return {};
}

bool plain_group_norm(const ReferenceCall& call) {
  const GroupShape shape = *group_shape(call);
  const auto channels = static_cast<std::size_t>(shape.channels / shape.groups);
  const auto inner = static_cast<std::size_t>(shape.inner);
  const auto groups = static_cast<std::size_t>(shape.groups);
  return normalize_plainly(call, channels * inner, call.real(arg::eps),
                           [=](std::size_t lane, std::size_t k) { return lane % groups * channels + k / inner; });
}

// A value of those sizes and that dtype, or None.
Argument draw_parameter(SampleContext& context, DType dtype, const Dims& sizes, bool contiguous) {
  const auto value = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return meta.dtype == dtype && meta.layout.sizes == sizes && (!contiguous || is_contiguous(meta.layout));
  });
  return value && context.choices().chance(60) ? Argument(*value) : Argument();
}

constexpr double sampled_eps = 1e-5;

std::optional<ValueId> pick_normalizable(SampleContext& context, int rank) {
  return context.pick([&](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= rank && meta.layout.numel() > 0;
  });
}

std::optional<std::vector<Argument>> sample_layer_norm(const Op& op, SampleContext& context) {
  const auto self = pick_normalizable(context, 1);
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  const int64_t dims = context.choices().between(1, meta.layout.rank());
  const IntList shape(meta.layout.sizes.end() - dims, meta.layout.sizes.end());
  const auto eps = static_cast<std::size_t>(op.schema.index_of(arg::eps));
  std::vector<Argument> arguments = {*self, shape};
  for (std::size_t i = 2; i < op.schema.parameters.size(); ++i) {
    const Parameter& parameter = op.schema.parameters[i];
    arguments.push_back(parameter.default_value.value_or(Argument()));
    if (parameter.kind == ArgKind::Tensor) arguments.back() = draw_parameter(context, meta.dtype, Dims(shape), false);
    if (i == eps && !parameter.optional) arguments.back() = Scalar(sampled_eps);
  }
  return arguments;
}

std::optional<std::vector<Argument>> sample_group_norm(const Op& op, SampleContext& context) {
  const bool native = op.schema.returns.size() > 1;
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= 2 && meta.layout.numel() > 0 &&
           (!native || is_contiguous(meta.layout));
  });
  if (!self) return std::nullopt;
  const TensorMeta& meta = context.meta(*self);
  const int64_t batch = meta.layout.sizes[0];
  const int64_t channels = meta.layout.sizes[1];
  const int64_t groups = context.choices().chance(50) ? channels : 1;
  const Argument weight = draw_parameter(context, meta.dtype, {channels}, native);
  const Argument bias = draw_parameter(context, meta.dtype, {channels}, native);
  if (!native) return with_defaults(op, {*self, Scalar(groups), weight, bias});
  const int64_t inner = meta.layout.numel() / (batch * channels);
  return std::vector<Argument>{
      *self, weight, bias, Scalar(batch), Scalar(channels), Scalar(inner), Scalar(groups), Scalar(sampled_eps)};
}

OpDef layer_norm(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_layer_norm,
          .reference = reference_layer_norm,
          .plain = plain_layer_norm,
          .sample = sample_layer_norm};
}

OpDef group_norm(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_group_norm,
          .reference = reference_group_norm,
          .plain = plain_group_norm,
          .sample = sample_group_norm};
}

}  // namespace

std::vector<OpDef> normalization_family() {
  return {
      layer_norm("native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) "
                 "-> (Tensor, Tensor, Tensor)"),
      layer_norm("layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
                 "eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor"),
      group_norm("native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int "
                 "group, float eps) -> (Tensor, Tensor, Tensor)"),
      group_norm("group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float "
                 "eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor"),
      {.schema = "rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
       .infer = infer_rms_norm,
       .reference = reference_rms_norm,
       .plain = plain_rms_norm,
       .sample = sample_layer_norm},
  };
}

}  // namespace parallax
