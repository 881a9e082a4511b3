// Corner calls: a case of one call with one thing of it at an end of what it may be. Some rules are right in the middle
// of an argument's meaning and wrong at its ends, as a scale is where the sizes are equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

struct CornerCall {
  std::string about;  // "upsample_linear1d(x0, [3], false, 0.7)", "x0 = -0", "extent 3 = 0"
  Case test;
};

// The corners of a case that is one call on inputs (SingleOpPool::draw_case):
// - each argument left out or as its default; numbers 0, 1 and -1, both zeros, the ends of a dimension and the extents
//   of the first operand, lists of them too; flags the other way round, each other dtype;
// - each extent, of all operands and of one, as 0, 1 and every other extent that occurs; an operand with no dimension;
// - the elements of each operand, but indices, and of all of them: both zeros, one after the other too, one, the ends
// of
//   the dtype, its smallest numbers, NaN and the infinities.
// What does not infer is left out. Their data is drawn from `stream`.
std::vector<CornerCall> corner_calls(const Case& call, uint64_t stream);

}  // namespace parallax
