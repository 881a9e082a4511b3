// Unary: one operand, element by element.
#include <algorithm>
#include <cmath>

#include "ops/ball_functions.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/unary_op.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

// Negation wraps: the lowest integer stays what it is.
int64_t negated(int64_t x) { return static_cast<int64_t>(-static_cast<uint64_t>(x)); }
int64_t magnitude(int64_t x) { return x < 0 ? negated(x) : x; }
int64_t rectified(int64_t x) { return std::max<int64_t>(x, 0); }
int64_t sign_of(int64_t x) { return (x > 0) - (x < 0); }
int64_t squared(int64_t x) { return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x)); }

constexpr UnaryFunction neg = {.takes = Takes::Numbers,
                               .floating = of_ball<&BallMath::neg>,
                               .integral = of_integer<negated>,
                               .plain = [](double x, const ReferenceCall&) { return -x; }};
constexpr UnaryFunction abs = {.takes = Takes::Numbers,
                               .floating = of_ball<&BallMath::abs>,
                               .integral = of_integer<magnitude>,
                               .plain = [](double x, const ReferenceCall&) { return std::fabs(x); }};
constexpr UnaryFunction relu = {.takes = Takes::Numbers,
                                .floating = of_ball<&BallMath::relu>,
                                .integral = of_integer<rectified>,
                                .plain = [](double x, const ReferenceCall&) { return std::max(x, 0.0); }};
constexpr UnaryFunction sign = {Takes::Anything, of_ball<ball_sign>, of_integer<sign_of>};
constexpr UnaryFunction square = {Takes::Anything, of_ball<&BallMath::mul_same>, of_integer<squared>};
constexpr UnaryFunction bitwise_not = {Takes::Integers, nullptr, [](int64_t x, const ReferenceCall& call) -> int64_t {
                                         return call.output().dtype == DType::Bool ? !x : ~x;
                                       }};

// Squares of bools are i64, as powers of them are.
Result<std::vector<ResultMeta>> infer_square(const Call& call) {
  TRY(std::vector<ResultMeta> results, infer_unary(call, square));
  if (results[0].dtype == DType::Bool) results[0].dtype = DType::I64;
  return results;
}

// A number that stands for values of x: cast to the dtype, and so infinite where it is over.
Ball replacement(const BallMath& math, const Call& call, arg parameter, double otherwise) {
  const double number = call.has(parameter) ? call.real(parameter) : otherwise;
  const double cast = round_to(math.dtype(), number);
  return std::isinf(cast) ? Ball::exact(cast) : math.scalar(number);
}

Ball without_nan(const BallMath& math, const Ball& x, const ReferenceCall& call) {
  if (!x.decided()) return x;
  const double largest = info(math.dtype()).max_finite;
  const Ball nan = replacement(math, call, arg::nan, 0);
  const Ball posinf = replacement(math, call, arg::posinf, largest);
  const Ball neginf = replacement(math, call, arg::neginf, -largest);
  if (is_definite_nan(x)) return nan;
  if (is_definite_infinity(x)) {
    const Ball replaced = x.mid > 0 ? posinf : neginf;
    return x.may_nan ? hull(replaced, nan) : replaced;
  }
  Ball result = x;
  result.may_nan = false;
  // What is wider than the dtype and over its largest number may pass, to be an infinity later.
  result.may_inf = reach(x) > largest;
  if (x.may_inf) result = hull(result, hull(posinf, neginf));
  return x.may_nan ? hull(result, nan) : result;
}

constexpr UnaryFunction nan_to_num = {.takes = Takes::Anything,
                                      .floating = without_nan,
                                      .integral = same_integer,
                                      .clones_layout = true,
                                      .in_own_dtype = true};

std::optional<std::vector<Argument>> sample_nan_to_num(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, Takes::Anything);
  if (!self) return std::nullopt;
  std::vector<Argument> arguments = with_defaults(op, {*self});
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (context.choices().chance(25)) arguments[i] = Scalar(static_cast<double>(context.choices().between(-2, 2)));
  }
  return arguments;
}

Result<std::vector<ResultMeta>> infer_clamp(const Call& call) {
  if (!call.has(arg::min) && !call.has(arg::max)) return refuse("{}: one of min and max is needed", call.op().name);
  const DType dtype = result_type(call, {arg::self, arg::min, arg::max});
  if (dtype == DType::Bool) return refuse("{} does not take bool", call.op().name);
  for (const arg bound : {arg::min, arg::max}) {
    if (call.has(bound)) TRY_VOID(check_fits(call, call.scalar(bound), dtype));
  }
  TRY(const Layout layout, pointwise_layout(call, {arg::self}, dtype));
  return fresh_result(dtype, layout);
}

IntegerBall larger(const IntegerBall& x, int64_t y) {
  if (x.decided()) return {std::max(x.value, y), Undecided::No};
  return IntegerBall::between(std::max(x.low, y), std::max(x.high, y), std::max(x.value, y), x.undecided);
}
IntegerBall smaller(const IntegerBall& x, int64_t y) {
  if (x.decided()) return {std::min(x.value, y), Undecided::No};
  return IntegerBall::between(std::min(x.low, y), std::min(x.high, y), std::min(x.value, y), x.undecided);
}

// min(max(x, low), high), so that a low over the high gives the high.
Result<void> reference_clamp(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Dims& sizes = output.layout.sizes;
  const Operand operand(call, arg::self, sizes, output.dtype);
  const std::optional<Operand> low =
      call.has(arg::min) ? std::optional<Operand>(std::in_place, call, arg::min, sizes, output.dtype) : std::nullopt;
  const std::optional<Operand> high =
      call.has(arg::max) ? std::optional<Operand>(std::in_place, call, arg::max, sizes, output.dtype) : std::nullopt;
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (output.floating()) {
      Ball x = operand.ball(i);
      if (low) x = math.maximum(x, low->ball(i));
      if (high) x = math.minimum(x, high->ball(i));
      output.ball(elements[i]) = x;
    } else {
      IntegerBall x = operand.integer(i);
      if (low) x = larger(x, low->integer(i).value);
      if (high) x = smaller(x, high->integer(i).value);
      output.integer(elements[i]) = x;
    }
  }
  return {};
}

bool plain_clamp(const ReferenceCall& call) {
  return compute_plainly(call, [](double x, const ReferenceCall& of) {
    if (of.has(arg::min)) x = std::max(x, of.real(arg::min));
    return of.has(arg::max) ? std::min(x, of.real(arg::max)) : x;
  });
}

std::optional<std::vector<Argument>> sample_clamp(const Op& op, SampleContext& context) {
  const auto self =
      op.writes() ? pick_writable(context, [](DType dtype) { return dtype != DType::Bool; }) : pick_number(context);
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const DType dtype = context.meta(*self).dtype;
  Argument low = draw_scalar(choices, dtype);
  Argument high = draw_scalar(choices, dtype);
  if (choices.chance(20)) {
    (choices.chance(50) ? low : high) = std::monostate();
  }
  return std::vector<Argument>{*self, std::move(low), std::move(high)};
}

}  // namespace

std::vector<OpDef> unary_family() {
  return {
      unary_op<neg>("neg(Tensor self) -> Tensor"),
      unary_op<abs>("abs(Tensor self) -> Tensor"),
      unary_op<relu>("relu(Tensor self) -> Tensor"),
      unary_op<sign>("sign(Tensor self) -> Tensor"),
      unary_op<sign>("sgn(Tensor self) -> Tensor"),
      {.schema = "square(Tensor self) -> Tensor",
       .infer = infer_square,
       .reference = [](const ReferenceCall& call) { return reference_unary(call, square); },
       .sample = sample_unary<Takes::Anything>},
      unary_op<bitwise_not>("bitwise_not(Tensor self) -> Tensor"),
      unary_op<nan_to_num>("nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
                           sample_nan_to_num),
      {.schema = "clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
       .infer = infer_clamp,
       .reference = reference_clamp,
       .plain = plain_clamp,
       .sample = sample_clamp},

      unary_twin<neg>("neg_(Tensor(a!) self) -> Tensor(a!)", "aten.neg.default"),
      unary_twin<abs>("abs_(Tensor(a!) self) -> Tensor(a!)", "aten.abs.default"),
      unary_twin<relu>("relu_(Tensor(a!) self) -> Tensor(a!)", "aten.relu.default"),
      unary_twin<sign>("sign_(Tensor(a!) self) -> Tensor(a!)", "aten.sign.default"),
      unary_twin<sign>("sgn_(Tensor(a!) self) -> Tensor(a!)", "aten.sgn.default"),
      // Not of bool: the i64 result cannot be written into it.
      inplace_twin("square_(Tensor(a!) self) -> Tensor(a!)", "aten.square.default", sample_unary<Takes::Numbers>),
      unary_twin<bitwise_not>("bitwise_not_(Tensor(a!) self) -> Tensor(a!)", "aten.bitwise_not.default"),
      inplace_twin(
          "nan_to_num_(Tensor(a!) self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor(a!)",
          "aten.nan_to_num.default", sample_nan_to_num),
      inplace_twin("clamp_(Tensor(a!) self, Scalar? min=None, Scalar? max=None) -> Tensor(a!)", "aten.clamp.default",
                   sample_clamp),
  };
}

}  // namespace parallax
