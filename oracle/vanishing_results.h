// Which results may be 0 where two numbers cancel: a difference of numbers that are not exact and lie a few units
// apart. An ensemble of some hundred members meets equal ones by chance only, and what follows may hang on them: an
// angle, a quotient.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "oracle/expected_runs.h"

namespace parallax {

class VanishingResults {
 public:
  // Runs the case with bounds. Empty where that fails.
  static VanishingResults of(const Profile& profile, const Case& test);

  // By element of the result of a sum or difference, in row-major order: a magnitude below which it may be 0 as well.
  // Empty where nothing is known. `visit` counts the calls of all runs.
  std::span<const float> reaches(std::size_t visit, const Op& op) const;

 private:
  struct Visit {
    const Op* op;
    std::vector<float> reaches;
  };
  std::vector<Visit> visits_;
};

}  // namespace parallax
