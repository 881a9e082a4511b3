// Reductions to a total: sum, nansum, mean and prod over some dims or all.
#include "ops/ball_moments.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/plain/elements_in_double.h"

namespace parallax {
namespace {

// An integer result is computed modulo 2^64 and wrapped at the end, in any order.
struct IntegerTotal {
  uint64_t value;
  Undecided undecided = Undecided::No;

  void join(const IntegerBall& term, uint64_t joined) {
    value = joined;
    if (undecided == Undecided::No) undecided = term.undecided;
  }
};

class IntegerSum {
 public:
  void add(const IntegerBall& x) { total_.join(x, total_.value + static_cast<uint64_t>(x.value)); }
  IntegerBall result() const { return {static_cast<int64_t>(total_.value), total_.undecided}; }

 private:
  IntegerTotal total_{0};
};

class IntegerProduct {
 public:
  void add(const IntegerBall& x) { total_.join(x, total_.value * static_cast<uint64_t>(x.value)); }
  IntegerBall result() const { return {static_cast<int64_t>(total_.value), total_.undecided}; }

 private:
  IntegerTotal total_{1};
};

Result<std::vector<ResultMeta>> infer_reduction(const Call& call, DType dtype) {
  TRY(const Layout layout, reduced_layout(call));
  return fresh_result(dtype, layout);
}

// sum and prod count integers in i64.
Result<std::vector<ResultMeta>> infer_total(const Call& call) {
  const DType self = call.tensor(arg::self).dtype;
  return infer_reduction(call, call.dtype(arg::dtype).value_or(is_floating(self) ? self : DType::I64));
}

Result<std::vector<ResultMeta>> infer_mean(const Call& call) {
  const DType dtype = call.dtype(arg::dtype).value_or(call.tensor(arg::self).dtype);
  if (!is_floating(dtype)) return refuse("{}: the mean of {} has no dtype", call.op().name, name(dtype));
  return infer_reduction(call, dtype);
}

// Runs one accumulator a result element over the input's elements, converted to the result's dtype.
template <class Accumulator, class Load, class Store>
void reduce(const ReferenceCall& call, const Accumulator& start, Load&& load, Store&& store) {
  const BallView& self = call.input(arg::self);
  const Lanes lanes(self.layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    Accumulator accumulator = start;
    for (int64_t element : lanes[i]) accumulator.add(load(self, element, call.output().dtype, call.profile()));
    // The output is fresh and contiguous.
    store(static_cast<int64_t>(i), accumulator.result());
  }
}

IntegerBall load_integer(const BallView& view, int64_t element, DType dtype, const CallProfile&) {
  return element_as_integer(view, element, dtype);
}

// An element with 0 in place of NaN.
Ball load_skipping_nan(const BallView& view, int64_t element, DType dtype, const CallProfile& profile) {
  Ball ball = element_as_ball(view, element, dtype, profile);
  if (is_definite_nan(ball)) return Ball::exact(0);
  if (!ball.may_nan || !ball.decided()) return ball;
  ball.may_nan = false;
  return including(ball, 0);
}

using LoadBall = Ball (*)(const BallView& view, int64_t element, DType dtype, const CallProfile& profile);

template <class FloatAccumulator, class IntegerAccumulator, LoadBall load = element_as_ball>
Result<void> reference_reduction(const ReferenceCall& call) {
  const BallView& output = call.output();
  if (output.floating()) {
    const BallMath math(output.dtype, call.profile());
    reduce(call, FloatAccumulator(math), load, [&](int64_t i, const Ball& ball) { output.ball(i) = ball; });
  } else {
    reduce(call, IntegerAccumulator(), load_integer, [&](int64_t i, const IntegerBall& total) {
      output.integer(i) = {wrap_to(output.dtype, total.value), total.undecided};
    });
  }
  return {};
}

Result<void> reference_mean(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const int64_t count = reduced_count(call.input(arg::self).layout.sizes, *reduced_dims(call));
  reduce(call, BallSum(math), element_as_ball,
         [&](int64_t i, const Ball& sum) { output.ball(i) = divided_by_count(math, sum, count); });
  return {};
}

// The sum of each lane, or its mean.
template <bool divides>
bool plain_total(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  if (self.dtype != call.output().dtype || self.layout.numel() == 0) return false;
  const std::optional<std::vector<double>> elements = plain_elements(self);
  if (!elements) return false;
  const DimMask reduced = *reduced_dims(call);
  const std::vector<int64_t> lanes = result_indices(self.layout.sizes, reduced);
  std::vector<double> totals(static_cast<std::size_t>(call.output().layout.numel()));
  for (std::size_t i = 0; i < elements->size(); ++i) totals[static_cast<std::size_t>(lanes[i])] += (*elements)[i];
  if constexpr (divides) {
    const auto count = static_cast<double>(reduced_count(self.layout.sizes, reduced));
    for (double& total : totals) total /= count;
  }
  store_plain(totals, call.output());
  return true;
}

std::optional<std::vector<Argument>> sample_total(const Op& op, SampleContext& context) {
  return sample_lanes(op, context);
}

std::optional<std::vector<Argument>> sample_floating(const Op& op, SampleContext& context) {
  return sample_lanes(op, context, {.accepts = is_floating});
}

OpDef sum(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total,
          .reference = reference_reduction<BallSum, IntegerSum>,
          .plain = plain_total<false>,
          .sample = sample_total};
}

OpDef prod(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total,
          .reference = reference_reduction<BallProduct, IntegerProduct>,
          .sample = sample_total};
}

OpDef mean(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_mean,
          .reference = reference_mean,
          .plain = plain_total<true>,
          .sample = sample_floating};
}

}  // namespace

std::vector<OpDef> reduction_family() {
  return {
      sum("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      sum("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      mean("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      mean("mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      prod("prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      prod("prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      {.schema = "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       .infer = infer_total,
       .reference = reference_reduction<BallSum, IntegerSum, load_skipping_nan>,
       .sample = sample_total},
  };
}

}  // namespace parallax
