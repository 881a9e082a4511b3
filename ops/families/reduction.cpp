// Reductions to a total: sum, nansum, mean and prod over some dims or all.
#include "ops/ball_moments.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"

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

constexpr ReductionParameters whole = {.dtype = 1};
constexpr ReductionParameters by_dim = {1, 2, 3};

Result<std::vector<ResultMeta>> infer_reduction(const Call& call, const ReductionParameters& at, DType dtype) {
  TRY(const Layout layout, reduced_layout(call, at));
  return fresh_result(dtype, layout);
}

// sum and prod count integers in i64.
template <const ReductionParameters& at>
Result<std::vector<ResultMeta>> infer_total(const Call& call) {
  const DType self = call.tensor(0).dtype;
  return infer_reduction(call, at, wanted_dtype(call, at).value_or(is_floating(self) ? self : DType::I64));
}

template <const ReductionParameters& at>
Result<std::vector<ResultMeta>> infer_mean(const Call& call) {
  const DType dtype = wanted_dtype(call, at).value_or(call.tensor(0).dtype);
  if (!is_floating(dtype)) return refuse("{}: the mean of {} has no dtype", call.op().name, name(dtype));
  return infer_reduction(call, at, dtype);
}

// Runs one accumulator a result element over the input's elements, converted to the result's dtype.
template <const ReductionParameters& at, class Accumulator, class Load, class Store>
void reduce(const ReferenceCall& call, const Accumulator& start, Load&& load, Store&& store) {
  const BallView& self = call.input(0);
  const Lanes lanes(self.layout, *reduced_dims(call, at));
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

template <const ReductionParameters& at, class FloatAccumulator, class IntegerAccumulator,
          LoadBall load = element_as_ball>
Result<void> reference_reduction(const ReferenceCall& call) {
  const BallView& output = call.output();
  if (output.floating()) {
    const BallMath math(output.dtype, call.profile());
    reduce<at>(call, FloatAccumulator(math), load, [&](int64_t i, const Ball& ball) { output.ball(i) = ball; });
  } else {
    reduce<at>(call, IntegerAccumulator(), load_integer, [&](int64_t i, const IntegerBall& total) {
      output.integer(i) = {wrap_to(output.dtype, total.value), total.undecided};
    });
  }
  return {};
}

template <const ReductionParameters& at>
Result<void> reference_mean(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const int64_t count = reduced_count(call.input(0).layout.sizes, *reduced_dims(call, at));
  reduce<at>(call, BallSum(math), element_as_ball,
             [&](int64_t i, const Ball& sum) { output.ball(i) = divided_by_count(math, sum, count); });
  return {};
}

std::optional<std::vector<Argument>> sample_total(const Op& op, SampleContext& context) {
  return sample_lanes(op, context);
}

std::optional<std::vector<Argument>> sample_floating(const Op& op, SampleContext& context) {
  return sample_lanes(op, context, {.accepts = is_floating});
}

template <const ReductionParameters& at>
OpDef sum(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total<at>,
          .reference = reference_reduction<at, BallSum, IntegerSum>,
          .sample = sample_total};
}

template <const ReductionParameters& at>
OpDef prod(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total<at>,
          .reference = reference_reduction<at, BallProduct, IntegerProduct>,
          .sample = sample_total};
}

template <const ReductionParameters& at>
OpDef mean(std::string_view schema) {
  return {.schema = schema, .infer = infer_mean<at>, .reference = reference_mean<at>, .sample = sample_floating};
}

}  // namespace

std::vector<OpDef> reduction_family() {
  return {
      sum<whole>("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      sum<by_dim>("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      mean<whole>("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      mean<by_dim>("mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      prod<whole>("prod(Tensor self, *, ScalarType? dtype=None) -> Tensor"),
      prod<by_dim>("prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"),
      {.schema = "nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       .infer = infer_total<by_dim>,
       .reference = reference_reduction<by_dim, BallSum, IntegerSum, load_skipping_nan>,
       .sample = sample_total},
  };
}

}  // namespace parallax
