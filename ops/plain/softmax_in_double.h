// Softmax and its logarithm in double.
#pragma once

#include <span>

#include "ops/op.h"

namespace parallax {

// In place of lanes of one dim: exp(x - largest) over their sum. Returns log(sum of exp(x)).
double normalize_exponentials(std::span<double> lane);

// The plain kernels of an op that has `self` and `dim`.
bool softmax_plainly(const ReferenceCall& call);
bool log_softmax_plainly(const ReferenceCall& call);

}  // namespace parallax
