// Reductions: sum, mean, prod and amax over some dims or all.
#include <algorithm>
#include <bit>
#include <cmath>

#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/reduce_dims.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

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

class IntegerMaximum {
 public:
  void add(const IntegerBall& x) {
    const int64_t before = static_cast<int64_t>(total_.value);
    total_.join(x, static_cast<uint64_t>(started_ ? std::max(before, x.value) : x.value));
    started_ = true;
  }
  IntegerBall result() const { return {static_cast<int64_t>(total_.value), total_.undecided}; }

 private:
  IntegerTotal total_{0};
  bool started_ = false;
};

class BallMaximum {
 public:
  explicit BallMaximum(const BallMath& math) : math_(&math) {}
  void add(const Ball& x) {
    largest_ = started_ ? math_->maximum(largest_, x) : x;
    started_ = true;
  }
  Ball result() const { return largest_; }

 private:
  const BallMath* math_;
  Ball largest_;
  bool started_ = false;
};

// Where the parameters of an overload stand; -1 for one that it does not have.
struct Positions {
  int dim = -1;
  int keep = -1;
  int dtype = -1;
};
constexpr Positions whole = {.dtype = 1};
constexpr Positions by_dim = {1, 2, 3};
constexpr Positions by_dim_alone = {1, 2, -1};

// `dim` is an int, a list (an empty one stands for all), None (all) or not there (all).
Result<DimMask> reduced_dims(const Call& call, const Positions& at) {
  const int rank = call.tensor(0).layout.rank();
  if (at.dim < 0 || !call.has(at.dim)) return all_dims(rank);
  const Argument& dim = call.arguments()[static_cast<std::size_t>(at.dim)];
  const IntList dims = std::holds_alternative<IntList>(dim) ? call.integers(at.dim) : IntList{call.integer(at.dim)};
  Result<DimMask> mask = listed_dims(dims, rank);
  if (!mask) return in_op(call, mask.error());
  return mask;
}

bool keeps_dims(const Call& call, const Positions& at) { return at.keep >= 0 && call.boolean(at.keep); }

std::optional<DType> wanted_dtype(const Call& call, const Positions& at) {
  return at.dtype >= 0 ? call.dtype(at.dtype) : std::nullopt;
}

Result<std::vector<ResultMeta>> infer_reduction(const Call& call, const Positions& at, DType dtype) {
  TRY(const DimMask reduced, reduced_dims(call, at));
  return fresh_result(dtype,
                      contiguous_layout(reduced_sizes(call.tensor(0).layout.sizes, reduced, keeps_dims(call, at))));
}

// sum and prod count integers in i64.
template <const Positions& at>
Result<std::vector<ResultMeta>> infer_total(const Call& call) {
  const DType self = call.tensor(0).dtype;
  return infer_reduction(call, at, wanted_dtype(call, at).value_or(is_floating(self) ? self : DType::I64));
}

template <const Positions& at>
Result<std::vector<ResultMeta>> infer_mean(const Call& call) {
  const DType dtype = wanted_dtype(call, at).value_or(call.tensor(0).dtype);
  if (!is_floating(dtype)) return refuse("{}: the mean of {} has no dtype", call.op().name, name(dtype));
  return infer_reduction(call, at, dtype);
}

Result<std::vector<ResultMeta>> infer_amax(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  TRY(const DimMask reduced, reduced_dims(call, by_dim_alone));
  const bool listed = !call.integers(1).empty();
  if (self.layout.numel() == 0 && (!listed || reduced_count(self.layout.sizes, reduced) == 0)) {
    return refuse("{}: nothing to take the maximum of", call.op().name);
  }
  return infer_reduction(call, by_dim_alone, self.dtype);
}

// Runs one accumulator a result element over the input's elements, converted to the result's dtype.
template <const Positions& at, class Accumulator, class Load, class Store>
void reduce(const ReferenceCall& call, const Accumulator& start, Load&& load, Store&& store) {
  const BallView& self = call.input(0);
  const BallView& output = call.output();
  const DimMask reduced = *reduced_dims(call, at);
  const std::vector<int64_t> results = result_indices(self.layout.sizes, reduced);
  const std::vector<int64_t> elements = elements_of(self.layout);
  std::vector<Accumulator> accumulators(static_cast<std::size_t>(output.layout.numel()), start);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    accumulators[static_cast<std::size_t>(results[i])].add(load(self, elements[i], output.dtype, call.profile()));
  }
  // The output is fresh and contiguous.
  for (std::size_t i = 0; i < accumulators.size(); ++i) store(static_cast<int64_t>(i), accumulators[i].result());
}

IntegerBall load_integer(const BallView& view, int64_t element, DType dtype, const Profile&) {
  return element_as_integer(view, element, dtype);
}

template <const Positions& at, class FloatAccumulator, class IntegerAccumulator>
Result<void> reference_reduction(const ReferenceCall& call) {
  const BallView& output = call.output();
  if (output.floating()) {
    const BallMath math(output.dtype, call.profile());
    reduce<at>(call, FloatAccumulator(math), element_as_ball,
               [&](int64_t i, const Ball& ball) { output.ball(i) = ball; });
  } else {
    reduce<at>(call, IntegerAccumulator(), load_integer, [&](int64_t i, const IntegerBall& total) {
      output.integer(i) = {wrap_to(output.dtype, total.value), total.undecided};
    });
  }
  return {};
}

// Dividing by n, or multiplying by the rounded 1/n.
Ball divided(const BallMath& math, const Ball& sum, int64_t count) {
  const Ball mean = math.div(sum, Ball::exact(static_cast<double>(count)));
  if (count == 0 || std::has_single_bit(static_cast<uint64_t>(count)) || !mean.decided() || !std::isfinite(mean.mid))
    return mean;
  Ball wider = math.with_error(mean.mid, mean.radius, 2 * math.rounding(std::fabs(mean.mid) + mean.radius));
  // A zero stays a zero either way.
  if (mean.mid == 0 && mean.radius == 0) return mean;
  wider.may_nan = wider.may_nan || mean.may_nan;
  wider.may_inf = wider.may_inf || mean.may_inf;
  return wider;
}

template <const Positions& at>
Result<void> reference_mean(const ReferenceCall& call) {
  const BallView& output = call.output();
  const BallMath math(output.dtype, call.profile());
  const int64_t count = reduced_count(call.input(0).layout.sizes, *reduced_dims(call, at));
  reduce<at>(call, BallSum(math), element_as_ball,
             [&](int64_t i, const Ball& sum) { output.ball(i) = divided(math, sum, count); });
  return {};
}

// Any dims of an operand that the op takes; now and then the reduced dims are kept.
std::optional<std::vector<Argument>> sample_reduction(const Op& op, SampleContext& context) {
  const bool mean = op.schema.name == "mean";
  const bool nonempty = op.schema.name == "amax";
  const auto self = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return (!mean || is_floating(meta.dtype)) && (!nonempty || meta.layout.numel() > 0);
  });
  if (!self) return std::nullopt;
  const int rank = context.meta(*self).layout.rank();
  std::vector<Argument> given = {*self};
  if (const int dim = op.schema.index_of("dim"); dim >= 0) {
    const bool list = op.schema.parameters[static_cast<std::size_t>(dim)].kind == ArgKind::IntList;
    if (list) {
      given.emplace_back(draw_dims(context.choices(), rank));
    } else {
      given.emplace_back(std::in_place_type<Scalar>, draw_dim(context.choices(), rank));
    }
    given.emplace_back(std::in_place_type<Scalar>, context.choices().chance(40));
  }
  return with_defaults(op, std::move(given));
}

template <const Positions& at>
OpDef sum(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total<at>,
          .reference = reference_reduction<at, BallSum, IntegerSum>,
          .sample = sample_reduction};
}

template <const Positions& at>
OpDef prod(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_total<at>,
          .reference = reference_reduction<at, BallProduct, IntegerProduct>,
          .sample = sample_reduction};
}

template <const Positions& at>
OpDef mean(std::string_view schema) {
  return {.schema = schema, .infer = infer_mean<at>, .reference = reference_mean<at>, .sample = sample_reduction};
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
      {.schema = "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
       .infer = infer_amax,
       .reference = reference_reduction<by_dim_alone, BallMaximum, IntegerMaximum>,
       .sample = sample_reduction},
  };
}

}  // namespace parallax
