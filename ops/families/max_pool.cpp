// Max pooling, with a kernel or adaptive, with the places of the maxima, and its gradient.
#include <algorithm>
#include <limits>
#include <map>

#include "ops/ball_sum.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/indices.h"
#include "ops/pair_sample.h"
#include "ops/pool_plan.h"
#include "ops/running_extreme.h"
#include "ops/sample.h"

namespace parallax {
namespace {

struct Maximum {
  PoolParameters at;
  PoolFormat format = PoolFormat::OfBatches;
  bool takes_integers = true;
};

constexpr Maximum maximum_1d = {{.spatial = 1}, PoolFormat::Contiguous, false};
constexpr Maximum maximum_2d = {{.spatial = 2}};
constexpr Maximum maximum_3d = {{.spatial = 3}, PoolFormat::OfInput};
constexpr Maximum adaptive_2d = {{.spatial = 2}, PoolFormat::OfBatches, false};
constexpr PoolParameters backward_2d = {.spatial = 2};

// The maxima are the first result, their places the second.
constexpr int places_result = 1;

bool takes(const Maximum& maximum, DType dtype) {
  return is_floating(dtype) || (dtype != DType::Bool && maximum.takes_integers);
}

template <const Maximum& maximum>
Metas infer_maximum(const Call& call) {
  TRY(const PoolPlan plan, plan_pool(call, maximum.at, false));
  const TensorMeta& self = call.tensor(arg::self);
  if (!takes(maximum, self.dtype)) return refuse("{} does not take {}", call.op().name, name(self.dtype));
  // Eager takes four dims for a picture there, and knows no such format of a volume.
  if (maximum.format == PoolFormat::OfInput && suggested_format(self.layout) == MemoryFormat::ChannelsLast) {
    return refuse("{}: a volume without a batch in channels_last", call.op().name);
  }
  const Layout layout = pooled_layout(plan, maximum.format);
  std::vector<ResultMeta> results = fresh_result(self.dtype, layout);
  if (call.op().schema.returns.size() > 1) results.push_back({DType::I64, layout, ValueId()});
  return results;
}

// The maximum of a window and its place. Of equal ones it is the first, but of NaN the last, as eager's
// `value > maximum || isnan(value)` leaves it.
template <class Element>
class WindowMaximum {
 public:
  explicit WindowMaximum(const BallMath& math)
      : drops_nan_(math.allows(Form::DroppedNan)), extreme_(math, false, OfEqual::First) {}

  void add(const Element& x, int64_t storage_element, int64_t place) {
    places_.push_back(place);
    extreme_.add(x, storage_element);
    if constexpr (std::is_same_v<Element, Ball>) {
      if (is_definite_nan(x)) {
        nan_place_ = {place, Undecided::No};
        has_nan_ = true;
      } else if (x.may_nan || !x.decided()) {
        may_have_nan_ = true;
        if (has_nan_) nan_place_ = {0, Undecided::InexactCompare};
      }
    }
  }
  Element value() const { return extreme_.value(); }
  IntegerBall place() const {
    if (has_nan_ && !drops_nan_) return nan_place_;
    // What may be NaN is the last place that counts or none, even where one element is seen at several; and where it is
    // dropped, a window of it alone has no place.
    if ((has_nan_ || may_have_nan_) && (places_.size() > 1 || drops_nan_)) return {0, Undecided::InexactCompare};
    const IntegerBall index = extreme_.index();
    if (index.undecided != Undecided::No) return index;
    return {places_[static_cast<std::size_t>(index.value)], Undecided::No};
  }

 private:
  bool drops_nan_;
  RunningExtreme<Element> extreme_;
  std::vector<int64_t> places_;
  bool has_nan_ = false;
  bool may_have_nan_ = false;
  IntegerBall nan_place_;
};

template <class Element, class At>
void pool_maxima(const ReferenceCall& call, const PoolPlan& plan, const BallMath& math, const Element& lowest,
                 At&& at) {
  const BallView& input = call.input(arg::self);
  const BallView& values = call.output();
  const bool has_places = call.outputs().size() > 1;
  for_each_window(plan, input.layout, values.layout, [&](const PoolWindow& window, const int64_t* picture, int64_t to) {
    WindowMaximum<Element> maximum(math);
    for (const int64_t element : window.elements) {
      maximum.add(at(input, picture[element]), picture[element], element);
    }
    // A window that dilation puts between the elements has no place in eager either.
    const bool empty = window.elements.empty();
    at(values, to) = empty ? lowest : maximum.value();
    if (!has_places) return;
    call.output(places_result).integer(to) = empty ? IntegerBall{0, Undecided::Uninitialized} : maximum.place();
  });
}

template <const Maximum& maximum>
Result<void> reference_maximum(const ReferenceCall& call) {
  TRY(const PoolPlan plan, plan_pool(call, maximum.at, true));
  const DType dtype = call.output().dtype;
  const BallMath math(is_floating(dtype) ? dtype : DType::F32, call.profile());
  if (is_floating(dtype)) {
    pool_maxima<Ball>(call, plan, math, Ball::exact(-std::numeric_limits<double>::infinity()),
                      [](const BallView& view, int64_t element) -> Ball& { return view.ball(element); });
  } else {
    pool_maxima<IntegerBall>(
        call, plan, math, IntegerBall{info(dtype).min_integer, Undecided::No},
        [](const BallView& view, int64_t element) -> IntegerBall& { return view.integer(element); });
  }
  return {};
}

Metas infer_backward(const Call& call) {
  const TensorMeta& gradient = call.tensor(arg::grad_output);
  const TensorMeta& self = call.tensor(arg::self);
  const TensorMeta& indices = call.tensor(arg::indices);
  TRY(const PoolPlan plan, plan_pool(call, backward_2d, false));
  if (!is_floating(self.dtype)) return refuse("{} does not take {}", call.op().name, name(self.dtype));
  if (gradient.dtype != self.dtype || indices.dtype != DType::I64) {
    return refuse("{}: a gradient of {} and indices of {} for {}", call.op().name, name(gradient.dtype),
                  name(indices.dtype), name(self.dtype));
  }
  const Layout pooled = pooled_layout(plan, PoolFormat::Contiguous);
  if (gradient.layout.sizes != pooled.sizes || indices.layout.sizes != pooled.sizes) {
    return refuse("{}: a gradient of [{}] and indices of [{}] for [{}]", call.op().name,
                  to_string(gradient.layout.sizes), to_string(indices.layout.sizes), to_string(pooled.sizes));
  }
  const MemoryFormat format = plan.unbatched ? MemoryFormat::Contiguous : suggested_format(self.layout);
  TRY(const Layout layout, fresh_layout(contiguous_layout(self.layout.sizes), format));
  return fresh_result(self.dtype, layout);
}

// The gradients that meet in one element are added in the result's own dtype, halves too.
Result<void> reference_backward(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallView& gradient = call.input(arg::grad_output);
  const BallView& indices = call.input(arg::indices);
  const CallProfile profile = call.profile().with(Form::AccumulateInHalf);
  const BallMath math(output.dtype, profile);
  const std::vector<int64_t> targets = elements_of(output.layout);
  const std::vector<int64_t> gradients = elements_of(gradient.layout);
  const std::vector<int64_t> places = elements_of(indices.layout);
  const int rank = output.layout.rank();
  const int64_t picture = output.layout.sizes[rank - 1] * output.layout.sizes[rank - 2];
  const std::size_t pictures = targets.size() / static_cast<std::size_t>(std::max<int64_t>(picture, 1));
  const std::size_t pooled = pictures == 0 ? 0 : places.size() / pictures;
  for (std::size_t p = 0; p < pictures; ++p) {
    const int64_t* target = targets.data() + static_cast<int64_t>(p) * picture;
    std::map<int64_t, BallSum> sums;
    Undecided undecided = Undecided::No;
    for (std::size_t i = p * pooled; i < (p + 1) * pooled; ++i) {
      const IntegerBall& place = indices.integer(places[i]);
      // Eager passes over -1.
      if (place.undecided == Undecided::No && place.value == -1) continue;
      TRY_VOID(check_in_range(call, place, picture));
      if (undecided == Undecided::No) undecided = place.undecided;
      sums.try_emplace(place.value, math).first->second.add(gradient.ball(gradients[i]));
    }
    for (int64_t k = 0; k < picture; ++k) {
      const auto sum = sums.find(k);
      output.ball(target[k]) = undecided != Undecided::No ? Ball::unknown(undecided)
                               : sum == sums.end()        ? Ball::exact(0)
                                                          : sum->second.result();
    }
  }
  return {};
}

template <const Maximum& maximum>
std::optional<std::vector<Argument>> sample_maximum(const Op& op, SampleContext& context) {
  const auto self = context.pick([](const Candidate&, const TensorMeta& meta) {
    return may_pool(meta, maximum.at.spatial) && takes(maximum, meta.dtype) &&
           (maximum.format != PoolFormat::OfInput || suggested_format(meta.layout) != MemoryFormat::ChannelsLast);
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  if (op.schema.index_of(arg::output_size) >= 0) {
    IntList sizes;
    for (int i = 0; i < maximum.at.spatial; ++i) sizes.push_back(choices.between(1, 3));
    return std::vector<Argument>{*self, std::move(sizes)};
  }
  DrawnPool drawn = draw_pool(choices, context.meta(*self).layout, maximum.at.spatial, true);
  return with_defaults(op, {*self, std::move(drawn.kernel), std::move(drawn.stride), std::move(drawn.padding),
                            std::move(drawn.dilation), Scalar(choices.chance(30))});
}

// Indices of the gradient's shape.
std::optional<ValueId> pick_places(const SampleContext& context, const Dims& sizes) {
  return pick_index(context, IndexWidth::Wide, [&](const TensorMeta& meta) { return meta.layout.sizes == sizes; });
}

// A gradient that a kernel with a stride of 1 gives.
std::optional<std::vector<Argument>> sample_backward(const Op&, SampleContext& context) {
  const auto may_be = [&](const TensorMeta& gradient, const TensorMeta& self) {
    const int rank = self.layout.rank();
    if (!is_floating(self.dtype) || gradient.dtype != self.dtype || gradient.layout.rank() != rank) return false;
    if (!may_pool(self, 2) || gradient.layout.numel() == 0) return false;
    for (int dim = 0; dim < rank; ++dim) {
      const int64_t in = self.layout.sizes[dim];
      const int64_t out = gradient.layout.sizes[dim];
      if (dim < rank - 2 ? in != out : in < out) return false;
    }
    return std::ranges::any_of(context.pool(), [&](const Candidate& candidate) {
      const TensorMeta& meta = context.meta(candidate.value);
      return candidate.source && meta.dtype == DType::I64 && meta.layout.sizes == gradient.layout.sizes;
    });
  };
  const auto pair = pick_pair(context, may_be);
  if (!pair) return std::nullopt;
  const Dims& out = context.meta(pair->first).layout.sizes;
  const Dims& in = context.meta(pair->second).layout.sizes;
  const auto indices = pick_places(context, out);
  const int rank = in.size();
  return std::vector<Argument>{
      pair->first,   pair->second,  IntList{in[rank - 2] - out[rank - 2] + 1, in[rank - 1] - out[rank - 1] + 1},
      IntList{1, 1}, IntList{0, 0}, IntList{1, 1},
      Scalar(false), *indices};
}

std::vector<IndexRange> ranges_of_backward(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  const int rank = self.rank();
  return {{call.value(arg::indices), self.sizes[rank - 1] * self.sizes[rank - 2]}};
}

template <const Maximum& maximum>
OpDef maximum_of_windows(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_maximum<maximum>,
          .reference = reference_maximum<maximum>,
          .sample = sample_maximum<maximum>};
}

}  // namespace

std::vector<OpDef> max_pool_family() {
  return {
      maximum_of_windows<maximum_2d>(
          "max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
          "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)"),
      maximum_of_windows<maximum_3d>(
          "max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
          "dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)"),
      maximum_of_windows<maximum_1d>(
          "max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool "
          "ceil_mode=False) -> Tensor"),
      maximum_of_windows<maximum_2d>(
          "max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool "
          "ceil_mode=False) -> Tensor"),
      maximum_of_windows<maximum_3d>(
          "max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool "
          "ceil_mode=False) -> Tensor"),
      maximum_of_windows<adaptive_2d>("adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)"),
      {.schema = "max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, "
                 "int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
       .infer = infer_backward,
       .reference = reference_backward,
       .sample = sample_backward,
       .index_ranges = ranges_of_backward},
  };
}

}  // namespace parallax
