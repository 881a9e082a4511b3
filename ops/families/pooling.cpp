// Average pooling, with a kernel or adaptive.
#include <limits>

#include "ops/ball_moments.h"
#include "ops/ball_sum.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/plain/elements_in_double.h"
#include "ops/pool_plan.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// One averaging op.
struct Averaging {
  PoolParameters at;
  PoolFormat format = PoolFormat::Contiguous;
  bool takes_i64 = true;
  bool takes_halves = true;
  // Eager sums halves as halves: measured, 2048 and seven ones average to 256.
  bool sums_halves = false;
};

constexpr Averaging kernel(int spatial, PoolFormat format) { return {{.spatial = spatial}, format}; }
constexpr Averaging adaptive(int spatial, PoolFormat format, bool sums_halves) {
  return {{.spatial = spatial, .empty_channels = true}, format, false, true, sums_halves};
}

constexpr Averaging average_1d = kernel(1, PoolFormat::OfBatches);
constexpr Averaging average_2d = kernel(2, PoolFormat::OfBatches);
constexpr Averaging average_3d = {.at = {.spatial = 3, .holds_kernel = true}, .takes_halves = false};
constexpr Averaging adaptive_1d = adaptive(1, PoolFormat::OfBatches, false);
constexpr Averaging adaptive_2d = adaptive(2, PoolFormat::OfBatches, false);
constexpr Averaging adaptive_3d = adaptive(3, PoolFormat::Contiguous, true);

bool takes(const Averaging& averaging, DType dtype) {
  if (is_floating(dtype)) return averaging.takes_halves || size_of(dtype) > 2;
  return dtype == DType::I64 && averaging.takes_i64;
}

template <const Averaging& averaging>
Metas infer_average(const Call& call) {
  TRY(const PoolPlan plan, plan_pool(call, averaging.at, false));
  const DType dtype = call.tensor(arg::self).dtype;
  const Layout layout = pooled_layout(plan, averaging.format);
  // Adaptive ops look at the dtype only where there is something to average.
  const bool unseen = call.takes(arg::output_size) && plan.input.numel() == 0;
  if (!unseen && !takes(averaging, dtype)) {
    return refuse("{} does not take {}", call.op().name, name(dtype));
  }
  if (call.has(arg::divisor_override) && call.integer(arg::divisor_override) == 0) {
    return refuse("{}: a divisor of 0", call.op().name);
  }
  return fresh_result(dtype, layout);
}

// What the sum of a window is divided by.
int64_t divisor_of(const Call& call, const PoolWindow& window) {
  if (call.has(arg::divisor_override)) return call.integer(arg::divisor_override);
  const bool counts_padding = call.takes(arg::count_include_pad) && call.boolean(arg::count_include_pad);
  return counts_padding ? window.padded : static_cast<int64_t>(window.elements.size());
}

Ball divided(const BallMath& math, const Ball& sum, int64_t divisor) {
  return divisor < 0 && divisor != std::numeric_limits<int64_t>::min() ? math.neg(divided_by_count(math, sum, -divisor))
                                                                       : divided_by_count(math, sum, divisor);
}

// Cut towards zero, as C++ does.
IntegerBall divided(const IntegerBall& sum, int64_t divisor) {
  const int64_t quotient =
      divisor == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(sum.value)) : sum.value / divisor;
  return {quotient, sum.undecided};
}

Ball average_of(const BallMath& math, const BallView& input, const PoolWindow& window, const int64_t* picture,
                int64_t divisor) {
  BallSum sum(math);
  for (const int64_t element : window.elements) sum.add(input.ball(picture[element]));
  const Ball average = divided(math, sum.result(), divisor);
  if (!math.allows(Form::AveragedProducts)) return average;
  BallSum products(math);
  for (const int64_t element : window.elements) products.add(divided(math, input.ball(picture[element]), divisor));
  return hull(average, products.result());
}

template <const Averaging& averaging>
Result<void> reference_average(const ReferenceCall& call) {
  TRY(const PoolPlan plan, plan_pool(call, averaging.at, true));
  const BallView& input = call.input(arg::self);
  const BallView& output = call.output();
  const CallProfile profile = averaging.sums_halves ? call.profile().with(Form::AccumulateInHalf) : call.profile();
  const BallMath math(output.floating() ? output.dtype : DType::F32, profile);
  for_each_window(plan, input.layout, output.layout, [&](const PoolWindow& window, const int64_t* picture, int64_t to) {
    const int64_t divisor = divisor_of(call, window);
    if (output.floating()) {
      // A window that lies in padding is 0, and has no divisor to speak of.
      output.ball(to) = window.elements.empty() ? Ball::exact(0) : average_of(math, input, window, picture, divisor);
    } else {
      IntegerBall sum;
      for (const int64_t element : window.elements) {
        const IntegerBall& term = input.integer(picture[element]);
        sum.value = static_cast<int64_t>(static_cast<uint64_t>(sum.value) + static_cast<uint64_t>(term.value));
        sum.undecided = first_undecided({sum, term});
      }
      output.integer(to) = window.elements.empty() ? IntegerBall() : divided(sum, divisor);
    }
  });
  return {};
}

template <const Averaging& averaging>
bool plain_average(const ReferenceCall& call) {
  const Result<PoolPlan> plan = plan_pool(call, averaging.at, true);
  const BallView& input = call.input(arg::self);
  const BallView& output = call.output();
  const auto elements = plain_elements(input);
  if (!plan || !elements) return false;
  for_each_window(*plan, contiguous_layout(input.layout.sizes), output.layout,
                  [&](const PoolWindow& window, const int64_t* picture, int64_t to) {
                    double sum = 0;
                    for (const int64_t element : window.elements)
                      sum += (*elements)[static_cast<std::size_t>(picture[element])];
                    const auto divisor = static_cast<double>(divisor_of(call, window));
                    output.ball(to) = Ball::exact(window.elements.empty() ? 0 : sum / divisor);
                  });
  return true;
}

template <const Averaging& averaging>
std::optional<std::vector<Argument>> sample_average(const Op& op, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return may_pool(meta, averaging.at.spatial) && takes(averaging, meta.dtype);
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  if (op.schema.index_of(arg::output_size) >= 0) {
    IntList sizes;
    for (int i = 0; i < averaging.at.spatial; ++i) sizes.push_back(choices.between(1, 3));
    return std::vector<Argument>{*self, std::move(sizes)};
  }
  DrawnPool drawn = draw_pool(choices, context.meta(*self).layout, averaging.at.spatial, false);
  std::vector<Argument> arguments =
      with_defaults(op, {*self, std::move(drawn.kernel), std::move(drawn.stride), std::move(drawn.padding)});
  arguments = with_argument(op, std::move(arguments), arg::ceil_mode, Scalar(choices.chance(30)));
  arguments = with_argument(op, std::move(arguments), arg::count_include_pad, Scalar(!choices.chance(30)));
  const bool has_divisor = op.schema.index_of(arg::divisor_override) >= 0;
  if (!has_divisor || !choices.chance(20)) return arguments;
  return with_argument(op, std::move(arguments), arg::divisor_override, Scalar(choices.between(1, 3)));
}

template <const Averaging& averaging>
OpDef average(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_average<averaging>,
          .reference = reference_average<averaging>,
          .plain = plain_average<averaging>,
          .sample = sample_average<averaging>};
}

}  // namespace

std::vector<OpDef> pooling_family() {
  return {
      average<average_1d>("avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
                          "ceil_mode=False, bool count_include_pad=True) -> Tensor"),
      average<average_2d>("avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
                          "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor"),
      average<average_3d>("avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool "
                          "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor"),
      average<adaptive_1d>("adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor"),
      average<adaptive_2d>("_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor"),
      average<adaptive_3d>("_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"),
  };
}

}  // namespace parallax
