// The second feed of the judging protocol (docs/concepts.md, "How a case is run").
#pragma once

#include <vector>

#include "graph/case.h"

namespace parallax {

// The same elements rolled by one place, floats scaled by -1/2, so that indices stay valid and stale memory shows.
// Elements of one tensor on the same memory keep agreeing.
std::vector<Tensor> second_feed(const Case& test);

}  // namespace parallax
