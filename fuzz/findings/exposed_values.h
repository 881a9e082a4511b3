// Exposed values: what a target's program holds between its inputs and its outputs, handed out as outputs too.
#pragma once

#include <vector>

#include "backends/examine.h"

namespace parallax {

struct ExposedValues {
  std::vector<Tensor> values;  // by value id
  std::vector<bool> known;     // which of them are known
  bool still_wrong = false;    // in one of the runs the program's own outputs were as without it, or not proved right
  int runs = 0;                // in which the target handed values out

  std::size_t count() const;
};

// Has the target hand out a part of the values in each run; those that a later node writes as copies, made at once.
// Nothing is known of a case with several runs or with gradients. `whole`: what the target returned of the program
// already; it is run once more where that is not given.
ExposedValues expose_values(Target& target, const Case& test, const Outcome* whole = nullptr);

// In how many runs it does that.
std::size_t runs_to_expose(const Case& test);

}  // namespace parallax
