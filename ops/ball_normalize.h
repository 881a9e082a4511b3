// What layer, group, batch and RMS normalisation share: 1 / sqrt(variance + eps), and the scaled deviation, in any of
// the forms that implementations compute it in.
#pragma once

#include <initializer_list>

#include "ops/ball_math.h"
#include "ops/op.h"

namespace parallax {

// 1 / sqrt(variance + eps), as a function with the profile's error.
Ball inverse_deviation(const BallMath& math, const Ball& variance, double eps);

// What remains of a mean or an inverse deviation that was saved in a dtype, as eager saves those of halves before it
// uses them.
Ball saved(const BallMath& math, const Ball& ball, DType dtype);

// The ball with an error more, and its flags; what is not decided or not finite stays as it is.
Ball wider_by(const BallMath& math, const Ball& ball, double error);

// An element of a normalisation: x, the mean that is taken off it and what their difference is known to be.
struct Normalized {
  Ball x;
  Ball mean;
  Ball deviation;  // of x from the mean, before that is saved
  Ball inverse;
  const Ball* weight = nullptr;  // none: 1
  const Ball* bias = nullptr;    // none: 0
};

// (x - mean) inverse weight + bias, or x scale + (bias - mean scale) with scale = inverse weight, where the mean and
// the inverse may have been saved in that dtype.
Ball normalized(const BallMath& math, const Normalized& element, DType saved_as);

// The dtype of a normalisation's parameters, where some are given: the input's, or f32 beside a half input, and the
// same for all.
Result<DType> parameter_dtype(const Call& call, std::initializer_list<ParameterRef> parameters);

// A parameter's elements as balls of that dtype, row-major; empty where it is None.
std::vector<Ball> parameter_balls(const ReferenceCall& call, ParameterRef parameter, DType dtype);

// The element of such a list, or null where the list is empty.
inline const Ball* parameter_at(const std::vector<Ball>& balls, std::size_t i) {
  return balls.empty() ? nullptr : &balls[i];
}

}  // namespace parallax
