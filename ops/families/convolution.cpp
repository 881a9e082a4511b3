// Convolutions of one to three spatial dims, transposed or not, in groups.
#include <algorithm>

#include "ops/ball_dot.h"
#include "ops/convolution_plan.h"
#include "ops/dense_contraction.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/pair_sample.h"
#include "ops/plain/convolution_in_double.h"
#include "ops/sample.h"

namespace parallax {
namespace {

Metas infer_convolution(const Call& call) {
  TRY(const ConvolutionPlan plan, plan_convolution(call));
  const DType dtype = call.tensor(arg::input).dtype;
  return fresh_result(dtype, convolved_layout(plan, dtype));
}

// Walks over the result's elements in row-major order: calls `visit(taps, channel, input, weight)` with the result's
// channel and the row-major indices of the first input element and of the first weight of its group and channel.
template <class Visit>
void for_each_result(const ConvolutionPlan& plan, Visit&& visit) {
  const std::vector<Taps> all_taps = taps_of(plan);
  const auto positions = [](const Dims& sizes) {
    int64_t count = 1;
    for (int dim = 2; dim < sizes.size(); ++dim) count *= sizes[dim];
    return count;
  };
  const int64_t channels = plan.input.sizes[1];
  const int64_t group_in = channels / plan.groups;
  const int64_t group_out = plan.out_channels() / plan.groups;
  const int64_t kernel = positions(plan.weight.sizes);
  const int64_t input_positions = positions(plan.input.sizes);
  for (int64_t n = 0; n < plan.sizes[0]; ++n) {
    for (int64_t channel = 0; channel < plan.sizes[1]; ++channel) {
      const int64_t group = channel / group_out;
      const int64_t input = (n * channels + group * group_in) * input_positions;
      const int64_t weight =
          plan.transposed ? (group * group_in * group_out + channel % group_out) * kernel : channel * group_in * kernel;
      for (const Taps& taps : all_taps) visit(taps, channel, input, weight);
    }
  }
}

// How far apart the channels of one group lie in the row-major operands.
struct ChannelSteps {
  int64_t count;
  int64_t input = 1;
  int64_t weight = 1;

  explicit ChannelSteps(const ConvolutionPlan& plan) : count(plan.input.sizes[1] / plan.groups) {
    for (int dim = 2; dim < plan.input.rank(); ++dim) {
      input *= plan.input.sizes[dim];
      weight *= plan.weight.sizes[dim];
    }
    if (plan.transposed) weight *= plan.weight.sizes[1];
  }
};

// The factors of every sum as lanes: a batch is a group of a batch, its rows are the group's channels of the result,
// its columns the positions. What meets padding is an exact 0.
DenseContraction::Lanes lanes_of(const ReferenceCall& call, const ConvolutionPlan& plan,
                                 const std::vector<Taps>& taps) {
  static constexpr Ball padding;
  const BallView& input = call.input(arg::input);
  const BallView& weight = call.input(arg::weight);
  const std::vector<int64_t> inputs = elements_of(plan.input);
  const std::vector<int64_t> weights = elements_of(plan.weight);
  const ChannelSteps step(plan);
  const int64_t kernel = plan.kernel_positions();
  const int64_t batches = plan.sizes[0];
  const auto columns = static_cast<int64_t>(taps.size());
  const int64_t rows = plan.out_channels() / plan.groups;
  DenseContraction::Lanes lanes{batches * plan.groups, rows, columns, step.count * kernel, {}, {}};
  lanes.left.reserve(static_cast<std::size_t>(lanes.batches * rows * lanes.inner));
  lanes.right.assign(static_cast<std::size_t>(lanes.batches * columns * lanes.inner), &padding);
  std::size_t lane = 0;
  for (int64_t batch = 0; batch < lanes.batches; ++batch) {
    const int64_t group = batch % plan.groups;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first =
          plan.transposed ? (group * step.count * rows + row) * kernel : (group * rows + row) * step.count * kernel;
      for (int64_t c = 0; c < step.count; ++c) {
        for (int64_t k = 0; k < kernel; ++k) {
          const auto at = static_cast<std::size_t>(first + k + c * step.weight);
          lanes.left.push_back(&weight.ball(weights[at]));
        }
      }
    }
    // Channels of all groups follow each other in the input, and groups of all batches do so too.
    const int64_t first = batch * step.count * step.input;
    for (const Taps& position : taps) {
      for (const auto& [at, k] : position.met) {
        for (int64_t c = 0; c < step.count; ++c) {
          const auto from = static_cast<std::size_t>(first + at + c * step.input);
          lanes.right[lane + static_cast<std::size_t>(c * kernel + k)] = &input.ball(inputs[from]);
        }
      }
      lane += static_cast<std::size_t>(lanes.inner);
    }
  }
  return lanes;
}

// Fewer products than this are summed one at a time, which knows more of each sum: whether it lies on an exact grid.
constexpr int64_t few_products = 16384;

// By matrix products, where there is enough to do and every factor is plain; otherwise false, and nothing is done.
bool convolve_densely(const ReferenceCall& call, const ConvolutionPlan& plan, int64_t parts) {
  if (plan.weight.numel() == 0) return false;
  const std::vector<Taps> taps = taps_of(plan);
  const int64_t rows = plan.out_channels() / plan.groups;
  const int64_t inner = plan.input.sizes[1] / plan.groups * plan.kernel_positions();
  const int64_t products = plan.sizes[0] * plan.out_channels() * static_cast<int64_t>(taps.size()) * inner;
  if (inner < 8 || products < few_products) return false;
  const std::optional<DenseContraction> dense = DenseContraction::of(lanes_of(call, plan, taps));
  if (!dense) return false;
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const std::vector<int64_t> biases =
      call.has(arg::bias) ? elements_of(call.input(arg::bias).layout) : std::vector<int64_t>();
  const std::vector<int64_t> elements = elements_of(output.layout);
  std::size_t to = 0;
  for (int64_t batch = 0; batch < plan.sizes[0] * plan.groups; ++batch) {
    for (int64_t row = 0; row < rows; ++row) {
      const auto channel = static_cast<std::size_t>(batch % plan.groups * rows + row);
      const Ball bias = biases.empty() ? Ball::exact(0) : call.input(arg::bias).ball(biases[channel]);
      for (std::size_t position = 0; position < taps.size(); ++position) {
        BallDot dot(math);
        dot.add(dense->sums(batch, row, static_cast<int64_t>(position)));
        output.ball(elements[to++]) = dot.result(1, bias, parts);
      }
    }
  }
  return true;
}

void convolve_balls(const ReferenceCall& call, const ConvolutionPlan& plan) {
  // Eager stores the products at each kernel position of a transposed convolution before it adds them (col2im).
  int64_t parts = plan.transposed ? 1 : 0;
  for (int dim = 2; dim < plan.weight.rank(); ++dim) parts *= plan.weight.sizes[dim];
  if (convolve_densely(call, plan, parts)) return;
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const std::vector<Factor> inputs = factors_of(call.input(arg::input), plan.input);
  const std::vector<Factor> weights = factors_of(call.input(arg::weight), plan.weight);
  const std::vector<int64_t> biases =
      call.has(arg::bias) ? elements_of(call.input(arg::bias).layout) : std::vector<int64_t>();
  const bool plain_weights = std::ranges::all_of(weights, &Factor::plain);
  const ChannelSteps step(plan);
  const std::vector<int64_t> elements = elements_of(output.layout);
  std::size_t to = 0;
  for_each_result(plan, [&](const Taps& taps, int64_t channel, int64_t input, int64_t weight) {
    BallDot dot(math);
    for (const auto& [at, kernel] : taps.met) {
      const Factor* x = inputs.data() + input + at;
      const Factor* w = weights.data() + weight + kernel;
      for (int64_t c = 0; c < step.count; ++c) dot.add(x[c * step.input], w[c * step.weight]);
    }
    if (!plain_weights) {
      for (const int64_t kernel : taps.missed) {
        for (int64_t c = 0; c < step.count; ++c) {
          dot.add_padding(weights[static_cast<std::size_t>(weight + kernel + c * step.weight)]);
        }
      }
    }
    const Ball bias =
        biases.empty() ? Ball::exact(0) : call.input(arg::bias).ball(biases[static_cast<std::size_t>(channel)]);
    output.ball(elements[to++]) = dot.result(1, bias, parts);
  });
}

void convolve_integers(const ReferenceCall& call, const ConvolutionPlan& plan) {
  const BallView& output = call.output();
  const std::vector<int64_t> inputs = elements_of(plan.input);
  const std::vector<int64_t> weights = elements_of(plan.weight);
  const std::vector<int64_t> biases =
      call.has(arg::bias) ? elements_of(call.input(arg::bias).layout) : std::vector<int64_t>();
  const ChannelSteps step(plan);
  const std::vector<int64_t> elements = elements_of(output.layout);
  std::size_t to = 0;
  for_each_result(plan, [&](const Taps& taps, int64_t channel, int64_t input, int64_t weight) {
    const IntegerBall bias =
        biases.empty() ? IntegerBall() : call.input(arg::bias).integer(biases[static_cast<std::size_t>(channel)]);
    auto sum = static_cast<uint64_t>(bias.value);
    Undecided undecided = bias.undecided;
    for (const auto& [at, kernel] : taps.met) {
      for (int64_t c = 0; c < step.count; ++c) {
        const IntegerBall& x =
            call.input(arg::input).integer(inputs[static_cast<std::size_t>(input + at + c * step.input)]);
        const IntegerBall& w =
            call.input(arg::weight).integer(weights[static_cast<std::size_t>(weight + kernel + c * step.weight)]);
        sum += static_cast<uint64_t>(x.value) * static_cast<uint64_t>(w.value);
        if (undecided == Undecided::No) undecided = first_undecided({x, w});
      }
    }
    output.integer(elements[to++]) = {wrap_to(output.dtype, static_cast<int64_t>(sum)), undecided};
  });
}

Result<void> reference_convolution(const ReferenceCall& call) {
  TRY(const ConvolutionPlan plan, plan_convolution(call));
  if (plan.sizes[1] == 0) return {};
  if (call.output().floating()) {
    convolve_balls(call, plan);
  } else {
    convolve_integers(call, plan);
  }
  return {};
}

// What a generated convolution may multiply at most, and how large its result may get.
constexpr int64_t most_products = 4096;
constexpr int64_t most_elements = 256;

// The numbers of groups that the shapes allow; transposed takes any divisor.
std::vector<int64_t> possible_groups(const Dims& input, int channel_dim, const Dims& weight, bool transposed) {
  const int64_t channels = input[channel_dim];
  std::vector<int64_t> groups;
  if (channels == 0 || weight[0] == 0 || weight[1] == 0) return groups;
  for (int64_t g = 1; g <= channels; ++g) {
    const bool fits =
        transposed ? channels == weight[0] && channels % g == 0 : g * weight[1] == channels && weight[0] % g == 0;
    if (fits) groups.push_back(g);
  }
  return groups;
}

bool may_convolve(int spatial, const TensorMeta& input, const TensorMeta& weight, bool transposed) {
  const int rank = weight.layout.rank();
  const bool unbatched = spatial > 0 && input.layout.rank() == rank - 1;
  if (rank < 3 || rank > 5 || (spatial > 0 && rank != spatial + 2)) return false;
  if (input.layout.rank() != rank && !unbatched) return false;
  if (input.dtype != weight.dtype || input.dtype == DType::Bool) return false;
  if (is_integral(input.dtype) && input.dtype != DType::I64 && transposed) return false;
  if (input.layout.numel() == 0 || weight.layout.numel() == 0) return false;
  return !possible_groups(input.layout.sizes, unbatched ? 0 : 1, weight.layout.sizes, transposed).empty();
}

std::optional<std::vector<Argument>> sample_convolution(const Op& op, SampleContext& context) {
  Choices& choices = context.choices();
  const int fixed_spatial = spatial_dims(op.schema);
  const std::optional<bool> fixed_transposed = transposes(op.schema);
  const bool transposed = fixed_transposed ? *fixed_transposed : choices.chance(30);
  const auto pair = pick_pair(context, [&](const TensorMeta& input, const TensorMeta& weight) {
    return may_convolve(fixed_spatial, input, weight, transposed);
  });
  if (!pair) return std::nullopt;
  const TensorMeta& input = context.meta(pair->first);
  const Dims& weight = context.meta(pair->second).layout.sizes;
  const int spatial = weight.size() - 2;
  const int first_dim = input.layout.rank() - spatial;
  const int64_t groups = choices.pick(possible_groups(input.layout.sizes, first_dim - 1, weight, transposed));
  const bool dilates = is_floating(input.dtype) || input.dtype == DType::I64;
  IntList stride;
  IntList padding;
  IntList dilation;
  IntList output_padding;
  int64_t positions = 1;
  for (int dim = 0; dim < spatial; ++dim) {
    stride.push_back(choices.chance(30) ? 2 : 1);
    dilation.push_back(dilates && choices.chance(20) ? 2 : 1);
    const int64_t size = input.layout.sizes[first_dim + dim];
    const int64_t kernel = dilation.back() * (weight[dim + 2] - 1) + 1;
    const int64_t needed = transposed ? 0 : std::max<int64_t>(0, (kernel - size + 1) / 2);
    const bool more = choices.chance(30) && (!transposed || (size - 1) * stride.back() + kernel > 2);
    padding.push_back(needed + more);
    output_padding.push_back(transposed && std::max(stride.back(), dilation.back()) > 1 && choices.chance(30));
    positions *= transposed ? size * stride.back() + kernel + 1 : size + 2 * padding.back();
  }
  const int64_t channels = transposed ? weight[1] * groups : weight[0];
  const int64_t batches = first_dim == 2 ? input.layout.sizes[0] : 1;
  const int64_t elements = batches * channels * positions;
  if (elements > most_elements || elements * context.meta(pair->second).layout.numel() / channels > most_products) {
    return std::nullopt;
  }
  Argument bias;
  if (choices.chance(50)) {
    const auto picked = context.pick([&](const Candidate&, const TensorMeta& meta) {
      return meta.dtype == input.dtype && meta.layout.sizes == Dims{channels};
    });
    if (picked) bias = *picked;
  }
  std::vector<Argument> arguments(op.schema.parameters.size());
  const auto set = [&](arg parameter, Argument argument) {
    const int at = op.schema.index_of(parameter);
    if (at >= 0) arguments[static_cast<std::size_t>(at)] = std::move(argument);
  };
  set(arg::input, pair->first);
  set(arg::weight, pair->second);
  set(arg::bias, std::move(bias));
  set(arg::stride, std::move(stride));
  set(arg::padding, std::move(padding));
  set(arg::dilation, std::move(dilation));
  set(arg::groups, Scalar(groups));
  set(arg::output_padding, std::move(output_padding));
  set(arg::transposed, Scalar(transposed));
  return arguments;
}

OpDef convolution(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_convolution,
          .reference = reference_convolution,
          .plain = convolve_plainly,
          .sample = sample_convolution};
}

}  // namespace

std::vector<OpDef> convolution_family() {
  return {
      convolution("convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] "
                  "dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor"),
      convolution("conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], "
                  "SymInt[1] dilation=[1], SymInt groups=1) -> Tensor"),
      convolution(
          "conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], "
          "SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor"),
      convolution(
          "conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, "
          "0, 0], SymInt[3] dilation=[1, 1, 1], SymInt groups=1) -> Tensor"),
      convolution("conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] "
                  "padding=[0], SymInt[1] output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor"),
      convolution(
          "conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] "
          "padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt groups=1, SymInt[2] dilation=[1, 1]) -> Tensor"),
      convolution(
          "conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], "
          "SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, "
          "1, 1]) -> Tensor"),
  };
}

}  // namespace parallax
