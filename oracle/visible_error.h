// Visible error: the error that a check must be able to show before it may be called a match.
#pragma once

#include "oracle/interpreter.h"

namespace parallax {

// Relative to the scale of a tensor: 2^-8, for f16 2^-5, for bf16 2^-3.
double visible_error(DType dtype);

// The magnitude that a tensor's largest elements have for certain: of the values where an ensemble ran, else the least
// that the bounds allow. At least a few of the smallest normal numbers, so that zeros have a scale too.
double scale_of(const BallTensor& tensor);

}  // namespace parallax
