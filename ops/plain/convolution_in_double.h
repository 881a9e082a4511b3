// Convolutions in double, as a product of matrices for each group of each batch.
#pragma once

#include "ops/op.h"

namespace parallax {

// The plain kernel of every convolution.
bool convolve_plainly(const ReferenceCall& call);

}  // namespace parallax
