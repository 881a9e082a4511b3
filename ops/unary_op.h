// Unary ops: the frame of the families that have one operand and work element by element. A family adds its functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/ball_math.h"
#include "ops/inplace.h"
#include "ops/op.h"
#include "ops/plain/elementwise_in_double.h"

namespace parallax {

// What one function makes of an element, and of which dtypes. The call is there for its further arguments, numbers.
struct UnaryFunction {
  enum class Takes : uint8_t {
    Anything,
    Numbers,   // all but bool
    Integers,  // and bool
    Floats,
    AsFloats,  // anything; integers and bool are computed as f32
  };
  Takes takes = Takes::AsFloats;
  Ball (*floating)(const BallMath& math, const Ball& x, const ReferenceCall& call) = nullptr;
  int64_t (*integral)(int64_t x, const ReferenceCall& call) = nullptr;  // its result is wrapped into the dtype
  // Eager makes the result as it makes a clone: size-1 and empty dims keep their strides too.
  bool clones_layout = false;
  Result<void> (*check)(const Call& call) = nullptr;  // of the further arguments
  // Not by way of f32: eager stores each step of a half as one, or the function is about the dtype itself.
  bool in_own_dtype = false;
  double (*plain)(double x, const ReferenceCall& call) = nullptr;  // for the plain kernel, which is none without it
};

Result<std::vector<ResultMeta>> infer_unary(const Call& call, const UnaryFunction& function);
Result<void> reference_unary(const ReferenceCall& call, const UnaryFunction& function);

// A tensor that the function takes and that its in-place twin may write; of a floating dtype for AsFloats.
std::optional<ValueId> pick_operand(const Op& op, SampleContext& context, UnaryFunction::Takes takes);
// That, and the schema's defaults.
template <UnaryFunction::Takes takes>
std::optional<std::vector<Argument>> sample_unary(const Op& op, SampleContext& context);

// The functional op.
template <const UnaryFunction& function>
OpDef unary_op(std::string_view schema, SampleFn sample = sample_unary<function.takes>) {
  return {.schema = schema,
          .infer = [](const Call& call) { return infer_unary(call, function); },
          .reference = [](const ReferenceCall& call) { return reference_unary(call, function); },
          .plain = function.plain == nullptr
                       ? nullptr
                       : +[](const ReferenceCall& call) { return compute_plainly(call, function.plain); },
          .sample = sample};
}

// Its in-place twin, drawn without further arguments.
template <const UnaryFunction& function>
OpDef unary_twin(std::string_view schema, std::string_view functional) {
  return inplace_twin(schema, functional, sample_unary<function.takes>);
}

// A function of one ball, without further arguments, as a UnaryFunction has it.
template <Ball (*function)(const BallMath& math, const Ball& x)>
Ball of_ball(const BallMath& math, const Ball& x, const ReferenceCall&) {
  return function(math, x);
}
template <Ball (BallMath::*function)(const Ball& x) const>
Ball of_ball(const BallMath& math, const Ball& x, const ReferenceCall&) {
  return (math.*function)(x);
}

// The same for an integer, and the integer itself.
template <int64_t (*function)(int64_t x)>
int64_t of_integer(int64_t x, const ReferenceCall&) {
  return function(x);
}
inline int64_t same_integer(int64_t x, const ReferenceCall&) { return x; }

}  // namespace parallax
