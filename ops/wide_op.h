// Wide ops: the functions that eager has for f32 and f64 only, and into which integers go as f32.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/binary_op.h"
#include "ops/unary_op.h"

namespace parallax {

// Refuses a half, as the operand and as the operands' common dtype.
Result<void> check_wide(const Call& call);
Result<void> check_wide_pair(const Call& call, DType common);

// One operand, or two where either may be a number, such that the common dtype is no half.
std::optional<std::vector<Argument>> sample_wide(const Op& op, SampleContext& context);
std::optional<std::vector<Argument>> sample_wide_pair(const Op& op, SampleContext& context);

// The function of one ball as an op.
template <Ball (*function)(const BallMath& math, const Ball& x)>
inline constexpr UnaryFunction wide_function = {.floating = of_ball<function>, .check = check_wide};
template <Ball (*function)(const BallMath& math, const Ball& x)>
OpDef wide_op(std::string_view schema) {
  return unary_op<wide_function<function>>(schema, sample_wide);
}

// The function of two balls as an op.
template <Ball (*function)(const BallMath& math, const BallPair& pair)>
inline constexpr BinaryFunction wide_pair_function = {
    .floating = function, .floats = BinaryFunction::Floats::Made, .check = check_wide_pair};
template <Ball (*function)(const BallMath& math, const BallPair& pair)>
OpDef wide_pair_op(std::string_view schema) {
  OpDef op = binary_op<wide_pair_function<function>>(schema);
  op.sample = sample_wide_pair;
  return op;
}

}  // namespace parallax
