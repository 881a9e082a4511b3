// Predicate: what kind of number an element is, into bool.
#include "ops/ball_functions.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/inplace.h"
#include "ops/sample.h"
#include "ops/unary_op.h"

namespace parallax {
namespace {

struct Predicate {
  IntegerBall (*floating)(const Ball& x);
  bool (*integral)(int64_t x);
  // Eager answers for integers without looking, in a clone's layout.
  bool clones_integers = false;
};

bool never(int64_t) { return false; }
bool always(int64_t) { return true; }

constexpr Predicate isnan = {ball_is_nan, never};
constexpr Predicate isinf = {ball_is_infinite, never, true};
constexpr Predicate isfinite = {[](const Ball& x) {
                                  if (is_definite_nan(x) || is_definite_infinity(x))
                                    return IntegerBall{0, Undecided::No};
                                  const IntegerBall nan = ball_is_nan(x);
                                  const IntegerBall infinite = ball_is_infinite(x);
                                  return IntegerBall{1, first_undecided({nan, infinite})};
                                },
                                always, true};
constexpr Predicate isposinf = {[](const Ball& x) { return ball_is_infinity(x, 1); }, never};
constexpr Predicate isneginf = {[](const Ball& x) { return ball_is_infinity(x, -1); }, never};
// The sign of a zero is not known, nor is that of a NaN.
constexpr Predicate signbit = {[](const Ball& x) {
                                 if (can_be_nan(x) || contains_zero(x)) return IntegerBall{0, Undecided::SignedZero};
                                 return less(x, Ball::exact(0));
                               },
                               [](int64_t x) { return x < 0; }};

template <const Predicate& predicate>
Result<std::vector<ResultMeta>> infer_predicate(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (predicate.clones_integers && is_integral(self.dtype)) {
    return fresh_result(DType::Bool, *fresh_layout(self.layout, MemoryFormat::Preserve));
  }
  TRY(const Layout layout, pointwise_layout(call, {arg::self}, self.dtype));
  return fresh_result(DType::Bool, layout);
}

template <const Predicate& predicate>
Result<void> reference_predicate(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType dtype = call.tensor(arg::self).dtype;
  const Operand operand(call, arg::self, output.layout.sizes, dtype);
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is_floating(dtype)) {
      output.integer(elements[i]) = predicate.floating(operand.ball(i));
    } else {
      const IntegerBall x = operand.integer(i);
      output.integer(elements[i]) = {predicate.integral(x.value), x.undecided};
    }
  }
  return {};
}

template <const Predicate& predicate>
OpDef define(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_predicate<predicate>,
          .reference = reference_predicate<predicate>,
          .sample = sample_unary<UnaryFunction::Takes::Anything>};
}

}  // namespace

std::vector<OpDef> predicate_family() {
  return {
      define<isnan>("isnan(Tensor self) -> Tensor"),
      define<isinf>("isinf(Tensor self) -> Tensor"),
      define<isfinite>("isfinite(Tensor self) -> Tensor"),
      define<isposinf>("isposinf(Tensor self) -> Tensor"),
      define<isneginf>("isneginf(Tensor self) -> Tensor"),
      define<signbit>("signbit(Tensor self) -> Tensor"),
      inplace_twin("logical_not_(Tensor(a!) self) -> Tensor(a!)", "aten.logical_not.default",
                   sample_unary<UnaryFunction::Takes::Anything>),
  };
}

}  // namespace parallax
