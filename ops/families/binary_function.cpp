// Functions of two operands: angles, lengths, logarithms of sums, and what looks at signs and neighbours.
#include "ops/ball_pairs.h"
#include "ops/binary_op.h"
#include "ops/families.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;

// A function of the two balls alone.
template <Ball (*function)(const BallMath& math, const Ball& a, const Ball& b)>
Ball of_pair(const BallMath& math, const BallPair& pair) {
  return function(math, pair.a, pair.b);
}

constexpr BinaryFunction atan2 = {.floating =
                                      [](const BallMath& math, const BallPair& pair) {
                                        return ball_atan2(math, pair.a, pair.b, pair.a_zero_is_positive,
                                                          pair.b_zero_is_positive);
                                      },
                                  .floats = Floats::Made};

constexpr BinaryFunction copysign = {
    .floating =
        [](const BallMath& math, const BallPair& pair) {
          return pair.same ? pair.a : ball_copysign(math, pair.a, pair.b, pair.b_zero_is_positive);
        },
    .floats = Floats::Made};

constexpr BinaryFunction hypot = {.floating = of_pair<ball_hypot>, .floats = Floats::Needed};
constexpr BinaryFunction logaddexp = {.floating = of_pair<ball_logaddexp>, .floats = Floats::Needed};
constexpr BinaryFunction logaddexp2 = {.floating = of_pair<ball_logaddexp2>, .floats = Floats::Needed};
constexpr BinaryFunction xlogy = {.floating = of_pair<ball_xlogy>, .floats = Floats::Made, .in_own_dtype = true};
constexpr BinaryFunction xlog1py = {.floating = of_pair<ball_xlog1py>, .floats = Floats::Made, .in_own_dtype = true};

constexpr BinaryFunction nextafter = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? pair.a : ball_nextafter(math, pair.a, pair.b); },
    .floats = Floats::Needed,
    .in_own_dtype = true};

constexpr BinaryFunction heaviside = {
    .floating = [](const BallMath&, const BallPair& pair) { return ball_heaviside(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional<int64_t>(a == 0 ? b : a > 0); },
    .one_dtype = true};

}  // namespace

std::vector<OpDef> binary_function_family() {
  return {
      binary_op<atan2>("atan2(Tensor self, Tensor other) -> Tensor"),
      binary_op<hypot>("hypot(Tensor self, Tensor other) -> Tensor"),
      binary_op<copysign>("copysign.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<copysign>("copysign.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<logaddexp>("logaddexp(Tensor self, Tensor other) -> Tensor"),
      binary_op<logaddexp2>("logaddexp2(Tensor self, Tensor other) -> Tensor"),
      binary_op<xlogy>("xlogy.Tensor(Tensor self, Tensor other) -> Tensor"),
      binary_op<xlogy>("xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor"),
      binary_op<xlogy>("xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor"),
      binary_op<xlog1py>("special_xlog1py(Tensor self, Tensor other) -> Tensor"),
      binary_op<xlog1py>("special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<xlog1py>("special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor"),
      binary_op<heaviside>("heaviside(Tensor self, Tensor values) -> Tensor"),
      binary_op<nextafter>("nextafter(Tensor self, Tensor other) -> Tensor"),

      binary_twin<atan2>("atan2_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.atan2.default"),
      binary_twin<hypot>("hypot_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.hypot.default"),
      binary_twin<copysign>("copysign_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.copysign.Tensor"),
      binary_twin<copysign>("copysign_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.copysign.Scalar"),
      binary_twin<xlogy>("xlogy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.xlogy.Tensor"),
      binary_twin<xlogy>("xlogy_.Scalar_Other(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.xlogy.Scalar_Other"),
      binary_twin<heaviside>("heaviside_(Tensor(a!) self, Tensor values) -> Tensor(a!)", "aten.heaviside.default"),
      binary_twin<nextafter>("nextafter_(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.nextafter.default"),
  };
}

}  // namespace parallax
