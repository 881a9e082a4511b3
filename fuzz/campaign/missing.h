// Targets that a campaign was asked to drive and could not, and why.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace parallax {

struct MissingTarget {
  std::string name;
  Error reason;
};

// Each reason once, after the names of its targets where it does not name them itself.
std::vector<Error> reasons_of(const std::vector<MissingTarget>& missing);

}  // namespace parallax
