// Binary ops: the frame of the families that have two operands, tensors or numbers, and work element by element in
// their common dtype. A family adds its functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/ball_math.h"
#include "ops/elementwise.h"
#include "ops/inplace.h"
#include "ops/op.h"
#include "ops/sample.h"

namespace parallax {

// One element of both operands.
struct BallPair {
  Ball a;
  Ball b;
  bool same = false;  // both are one storage element, and so one number
  // A zero of the operand is +0: integers and Python's 0 have no other. That of a float tensor is not tracked.
  bool a_zero_is_positive = false;
  bool b_zero_is_positive = false;
  bool b_is_single = false;  // one number for all elements
};

// What one function makes of a pair, and of which dtypes.
struct BinaryFunction {
  enum class Bools : uint8_t {
    Taken,
    NotAlone,  // with operands of other dtypes only
    Refused,
  };
  enum class Floats : uint8_t {
    Taken,
    Refused,
    Needed,   // an integer result is refused
    Made,     // integers and bool are computed as f32
    MadeF64,  // everything is computed as f64
  };
  Ball (*floating)(const BallMath& math, const BallPair& pair) = nullptr;
  // Not wrapped yet; nothing is what eager raises on: a division by zero.
  std::optional<int64_t> (*integral)(DType dtype, int64_t a, int64_t b) = nullptr;
  bool (*shifts_out)(DType dtype, int64_t b) = nullptr;  // whether b is what Form::OpenShifts leaves open
  Floats floats = Floats::Taken;
  Bools bools = Bools::Taken;
  bool one_dtype = false;  // the operands' dtypes must be equal
  bool reversed = false;   // b is the first operand
  bool scaled = false;     // b is multiplied by alpha
  bool divides = false;    // an integer b must not be 0
  // Not by way of f32: eager stores each step of a half as one, or the function is about the dtype itself.
  bool in_own_dtype = false;
  bool contiguous_of_number = false;  // the result of a number and a tensor is contiguous, whatever the tensor is
  Result<void> (*check)(const Call& call, DType common) = nullptr;
  Scalar (*draw_number)(Choices& choices, DType dtype) = draw_scalar;
  double (*plain)(double a, double b) = nullptr;  // for the plain kernel, which is none without it
};

Result<std::vector<ResultMeta>> infer_binary(const Call& call, const BinaryFunction& function);
Result<void> reference_binary(const ReferenceCall& call, const BinaryFunction& function);
bool plain_binary(const ReferenceCall& call, const BinaryFunction& function);
std::optional<std::vector<Argument>> sample_binary(const Op& op, SampleContext& context,
                                                   const BinaryFunction& function);

// A number that integers can be divided by.
Scalar draw_divisor(Choices& choices, DType dtype);
// Another operand next to `first` that broadcasts with it and has its dtype; for an in-place op it does not widen it.
std::optional<ValueId> pick_of_same_dtype(SampleContext& context, ValueId first, bool keeps_shape);

// Two's complement arithmetic, defined where int64_t's own is not.
int64_t wrapping_add(int64_t a, int64_t b);
int64_t wrapping_sub(int64_t a, int64_t b);
int64_t wrapping_mul(int64_t a, int64_t b);

// alpha times x; by 1 and -1 nothing rounds.
Ball scale(const BallMath& math, double alpha, const Ball& x);

// A binary op and, where `functional` names one, the in-place twin of that. PyTorch lets a number stand for a tensor in
// add, sub, mul, div and floor_divide only.
template <const BinaryFunction& function>
OpDef binary_op(std::string_view schema, bool takes_numbers = false) {
  return {.schema = schema,
          .infer = [](const Call& call) { return infer_binary(call, function); },
          .reference = [](const ReferenceCall& call) { return reference_binary(call, function); },
          .plain = function.plain == nullptr ? nullptr
                                             : +[](const ReferenceCall& call) { return plain_binary(call, function); },
          .sample = [](const Op& op, SampleContext& context) { return sample_binary(op, context, function); },
          .takes_numbers = takes_numbers};
}

template <const BinaryFunction& function>
OpDef binary_twin(std::string_view schema, std::string_view functional, bool takes_numbers = false) {
  OpDef twin = inplace_twin(schema, functional,
                            [](const Op& op, SampleContext& context) { return sample_binary(op, context, function); });
  twin.takes_numbers = takes_numbers;
  return twin;
}

}  // namespace parallax
