// Python numbers that become elements of tensors: what eager checks them against, and how they are written.
#pragma once

#include "ops/elementwise.h"
#include "ops/op.h"

namespace parallax {

// What eager computes a dtype in, and often checks a number against: f32 for the halves, else the dtype itself.
inline DType opmath_type(DType dtype) { return is_floating(dtype) && size_of(dtype) == 2 ? DType::F32 : dtype; }

// Sets one element to a number, which implementations may or may not round to the dtype.
void set_number(const BallView& view, int64_t element, const Scalar& number, const CallProfile& profile);
// Sets all of the call's result.
void fill_with(const ReferenceCall& call, const Scalar& number);

}  // namespace parallax
