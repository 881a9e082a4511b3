// Binary: arithmetic of two operands, element by element, in their common dtype.
#include <algorithm>

#include "ops/ball_pairs.h"
#include "ops/binary_op.h"
#include "ops/families.h"

namespace parallax {
namespace {

using Floats = BinaryFunction::Floats;
using Bools = BinaryFunction::Bools;

constexpr BinaryFunction add = {
    .floating = [](const BallMath& math, const BallPair& pair) { return math.add(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional(wrapping_add(a, b)); },
    .scaled = true,
    .plain = [](double a, double b) { return a + b; }};

constexpr BinaryFunction sub = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? math.sub_same(pair.a) : math.sub(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional(wrapping_sub(a, b)); },
    .bools = Bools::Refused,
    .scaled = true,
    .plain = [](double a, double b) { return a - b; }};

// other - alpha * self.
constexpr BinaryFunction rsub = {.floating = sub.floating,
                                 .integral = sub.integral,
                                 .bools = Bools::Refused,
                                 .reversed = true,
                                 .scaled = true,
                                 .plain = sub.plain};

constexpr BinaryFunction mul = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? math.mul_same(pair.a) : math.mul(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional(wrapping_mul(a, b)); },
    .plain = [](double a, double b) { return a * b; }};

constexpr BinaryFunction maximum = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? pair.a : math.maximum(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional(std::max(a, b)); },
    .plain = [](double a, double b) { return std::max(a, b); }};

constexpr BinaryFunction minimum = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? pair.a : math.minimum(pair.a, pair.b); },
    .integral = [](DType, int64_t a, int64_t b) { return std::optional(std::min(a, b)); },
    .plain = [](double a, double b) { return std::min(a, b); }};

constexpr BinaryFunction fmax = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? pair.a : ball_fmax(math, pair.a, pair.b); },
    .integral = maximum.integral};

constexpr BinaryFunction fmin = {
    .floating = [](const BallMath& math,
                   const BallPair& pair) { return pair.same ? pair.a : ball_fmin(math, pair.a, pair.b); },
    .integral = minimum.integral};

}  // namespace

std::vector<OpDef> binary_family() {
  return {
      binary_op<add>("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", true),
      binary_op<add>("add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"),
      binary_op<sub>("sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", true),
      binary_op<sub>("sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"),
      binary_op<rsub>("rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
      binary_op<rsub>("rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"),
      binary_op<mul>("mul.Tensor(Tensor self, Tensor other) -> Tensor", true),
      binary_op<mul>("mul.Scalar(Tensor self, Scalar other) -> Tensor"),
      binary_op<maximum>("maximum(Tensor self, Tensor other) -> Tensor"),
      binary_op<minimum>("minimum(Tensor self, Tensor other) -> Tensor"),
      binary_op<maximum>("max.other(Tensor self, Tensor other) -> Tensor"),
      binary_op<minimum>("min.other(Tensor self, Tensor other) -> Tensor"),
      binary_op<fmax>("fmax(Tensor self, Tensor other) -> Tensor"),
      binary_op<fmin>("fmin(Tensor self, Tensor other) -> Tensor"),

      binary_twin<add>("add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", "aten.add.Tensor",
                       true),
      binary_twin<add>("add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", "aten.add.Scalar"),
      binary_twin<sub>("sub_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", "aten.sub.Tensor",
                       true),
      binary_twin<sub>("sub_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", "aten.sub.Scalar"),
      binary_twin<mul>("mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", "aten.mul.Tensor", true),
      binary_twin<mul>("mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)", "aten.mul.Scalar"),
  };
}

}  // namespace parallax
