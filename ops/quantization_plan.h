// What the ops that quantize and dequantize share: their checks, the parameters of each element, and the layouts that
// eager's steps leave behind.
#pragma once

#include <optional>
#include <vector>

#include "ops/op.h"
#include "ops/real_range.h"

namespace parallax {

// Eager's checks: of a float that is quantized (`halves_and_single`: f64 is refused), of quant_min and quant_max
// against the dtype, and of an integer that is of the dtype that the call states.
Result<void> check_float_input(const Call& call, bool halves_and_single);
Result<void> check_bounds(const Call& call);
Result<void> check_bounds(const Call& call, int64_t low, int64_t high, DType dtype);
Result<void> check_stated_dtype(const Call& call);
// That what stands for a number, where it is a tensor, has one element.
Result<void> check_single_elements(const Call& call);

// A scale, a zero point and limits that are numbers, or tensors of one element.
struct NumberParameters {
  RealRange scale;
  RealRange zero_point;
  RealRange low;
  RealRange high;
};
NumberParameters number_parameters(const ReferenceCall& call);

// How the tensors of scales and zero points lie along the input.
enum class Along { Channel, Token, Group };

struct ParameterLayouts {
  Along along = Along::Token;
  int axis = 0;       // of channels
  int64_t group = 1;  // elements that share parameters
  DType product = DType::F32;
  DType sum = DType::F32;  // of the zero point with what it is added to, or taken from
  Layout result{};
};

Result<ParameterLayouts> channel_layouts(const Call& call);
Result<ParameterLayouts> token_layouts(const Call& call);
Result<ParameterLayouts> group_layouts(const Call& call);
// Whatever broadcasts: the op that dequantizes tokens looks at nothing else.
Result<ParameterLayouts> broadcast_layouts(const Call& call);

// The storage elements of the operands of each element of the result, in row-major order.
struct ParameterPlan {
  std::vector<int64_t> results;
  std::vector<int64_t> inputs;
  std::vector<int64_t> scales;
  std::vector<int64_t> zero_points;  // empty where there are none
};
ParameterPlan plan_of(const Call& call, const ParameterLayouts& layouts);

// a - b, wrapped.
IntegerBall difference_of(const IntegerBall& a, const IntegerBall& b, DType dtype);

std::optional<std::vector<Argument>> sample_quantize(const Op& op, SampleContext& context);
std::optional<std::vector<Argument>> sample_dequantize(const Op& op, SampleContext& context);

}  // namespace parallax
