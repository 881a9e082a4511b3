// Logical: two operands taken as truth values, whatever their dtypes, into bool.
#include <cmath>

#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// What a connective makes of two truths that may be undecided. `same` tells that both operands are one number.
using Connective = IntegerBall (*)(const IntegerBall& a, const IntegerBall& b, bool same);

bool is_truth(const IntegerBall& x, bool value) { return x.undecided == Undecided::No && (x.value != 0) == value; }

// A false operand decides, whatever the other is.
IntegerBall both(const IntegerBall& a, const IntegerBall& b, bool) {
  if (is_truth(a, false) || is_truth(b, false)) return {0, Undecided::No};
  return {1, first_undecided({a, b})};
}

// A true operand decides.
IntegerBall any(const IntegerBall& a, const IntegerBall& b, bool) {
  if (is_truth(a, true) || is_truth(b, true)) return {1, Undecided::No};
  return {0, first_undecided({a, b})};
}

IntegerBall one(const IntegerBall& a, const IntegerBall& b, bool same) {
  if (same) return {0, Undecided::No};
  return {(a.value != 0) != (b.value != 0), first_undecided({a, b})};
}

Result<std::vector<ResultMeta>> infer_logical(const Call& call) {
  TRY(const Layout layout, pointwise_layout(call, {arg::self, arg::other}, result_type(call, {arg::self, arg::other})));
  return fresh_result(DType::Bool, layout);
}

bool may_be_nan(const Ball& x) { return x.may_nan || std::isnan(x.mid); }

// Eager promotes before it looks at the truth: what the common dtype rounds to 0 is false.
IntegerBall truth(const Operand& operand, DType common, std::size_t index) {
  return is_floating(common) ? ball_to_integer(operand.ball(index), DType::Bool)
                             : cast_integer(operand.integer(index), DType::Bool);
}

template <Connective connective>
Result<void> reference_logical(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType common = result_type(call, {arg::self, arg::other});
  const Operand a(call, arg::self, output.layout.sizes, common);
  const Operand b(call, arg::other, output.layout.sizes, common);
  const bool loses_nan = is_floating(common) && call.allows(Form::LostNan);
  const auto truth_of = [&](const Operand& operand, std::size_t i) {
    // A target that does not keep NaN may take it for 0.
    if (loses_nan && may_be_nan(operand.ball(i))) return IntegerBall{1, Undecided::InexactToInteger};
    return truth(operand, common, i);
  };
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const IntegerBall result = connective(truth_of(a, i), truth_of(b, i), a.same_element(b, i));
    output.integer(elements[i]) = {result.undecided == Undecided::No ? result.value : 0, result.undecided};
  }
  return {};
}

std::optional<std::vector<Argument>> sample_logical(const Op& op, SampleContext& context) {
  const auto self = op.writes() ? pick_writable(context) : pick_tensor(context);
  if (!self) return std::nullopt;
  const auto other = pick_second(context, *self, [](DType) { return true; }, op.writes());
  if (!other) return std::nullopt;
  return std::vector<Argument>{*self, *other};
}

template <Connective connective>
OpDef pure_logical(std::string_view schema) {
  return {
      .schema = schema, .infer = infer_logical, .reference = reference_logical<connective>, .sample = sample_logical};
}

OpDef logical_twin(std::string_view schema, std::string_view functional) {
  return inplace_twin(schema, functional, sample_logical);
}

}  // namespace

std::vector<OpDef> logical_family() {
  return {
      pure_logical<both>("logical_and(Tensor self, Tensor other) -> Tensor"),
      pure_logical<any>("logical_or(Tensor self, Tensor other) -> Tensor"),
      pure_logical<one>("logical_xor(Tensor self, Tensor other) -> Tensor"),

      logical_twin("logical_and_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.logical_and.default"),
      logical_twin("logical_or_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.logical_or.default"),
      logical_twin("logical_xor_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.logical_xor.default"),
  };
}

}  // namespace parallax
