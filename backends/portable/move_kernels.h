// What the compiler may ask of the kernels that only put elements elsewhere.
#pragma once

#include "ops/op.h"

namespace parallax::portable {

// Whether the kernel of an op leaves alone what is in its place in the result already (planner/joins.h).
bool joins_in_place(const Op& op);

}  // namespace parallax::portable
