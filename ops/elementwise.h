// Element-wise ops: promotion, broadcasting, the result's layout, and operands as balls of the common dtype.
//
// The same frame serves unary, binary and ternary ops; a family adds its function of one element.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "ops/ball_math.h"
#include "ops/op.h"

namespace parallax {

// What promotion looks at: a tensor with dims outranks a 0-d tensor, and that a Python number, within one category.
struct OperandType {
  enum class Rank { Number, ZeroDim, Tensor };
  DType dtype = DType::F32;
  Rank rank = Rank::Tensor;
};

OperandType type_of(const TensorMeta& meta);
OperandType type_of(const Scalar& number);
// A tensor or a number.
OperandType type_of(const Call& call, ParameterRef parameter);

// torch.result_type.
DType result_type(std::span<const OperandType> operands);
// Of the parameters, tensors or numbers.
DType result_type(const Call& call, std::initializer_list<ParameterRef> parameters);
// f32 for an integer, else the dtype itself: what functions without integer results compute in.
DType floating_type(DType dtype);

// An operand's layout once it has the dtype: as it is, or that of the copy that eager makes to convert it.
Layout converted_layout(const TensorMeta& operand, DType dtype);

// The layout that eager's iterator gives a fresh result of these operands, or its refusal to broadcast them.
Result<Layout> pointwise_layout(const Call& call, std::span<const Layout> operands);
// Of the parameters, tensors or numbers, after they are converted to the dtype that the op computes in.
Result<Layout> pointwise_layout(const Call& call, std::initializer_list<ParameterRef> parameters, DType common);

// One result in memory of its own.
std::vector<ResultMeta> fresh_result(DType dtype, const Layout& layout);

// Refuses a number that the dtype cannot take (c10::checked_convert): what fill_, clamp and alpha are checked with.
Result<void> check_fits(const Call& call, const Scalar& number, DType dtype);
// The number in an integer dtype: cut towards zero and wrapped; in bool, whether it is not 0.
int64_t number_as(DType dtype, const Scalar& number);

// An operand of a kernel, as values of one dtype, indexed by the row-major index of the result.
class Operand {
 public:
  // Of a tensor (broadcast to `sizes`) or a number.
  Operand(const ReferenceCall& call, ParameterRef parameter, const Dims& sizes, DType dtype);

  // For a floating, and for an integer, dtype.
  Ball ball(std::size_t index) const;
  IntegerBall integer(std::size_t index) const;
  // Whether both are one storage element there, and so one number.
  bool same_element(const Operand& other, std::size_t index) const;

 private:
  DType dtype_;
  CallProfile profile_;
  const BallView* view_ = nullptr;
  ViewElements elements_;
  Ball number_;
  int64_t integer_ = 0;
};

// The first reason in a list of integers, or No.
Undecided first_undecided(std::initializer_list<IntegerBall> integers);

}  // namespace parallax
