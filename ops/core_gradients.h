// The parts of the gradient family that have files of their own.
#pragma once

#include <vector>

#include "ops/op.h"

namespace parallax {

std::vector<OpDef> normalization_gradients();
std::vector<OpDef> convolution_gradients();

// Refuses a mask that leaves gradients out: those are no tensors.
Result<void> check_all_wanted(const Call& call);

}  // namespace parallax
