// Compared findings: the findings of one folder beside those of an earlier one.
#pragma once

#include <span>
#include <vector>

#include "corpus/finding.h"
#include "reports/standing.h"

namespace parallax {

struct Comparison {
  std::vector<Standing> now;      // by finding of the later folder; never Gone
  std::vector<std::size_t> gone;  // places in the earlier one
};

// Findings are the same by signature, whatever the version and the options of the target. One that comes and goes now,
// where the same graph was wrong each time before, is newly flaky, and that earlier one is not gone.
Comparison compare(std::span<const Finding> before, std::span<const Finding> now);

}  // namespace parallax
