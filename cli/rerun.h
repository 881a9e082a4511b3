// Rerun: a stored finding run again where it diverged, for what a report shows and a finding's folder does not keep.
#pragma once

#include <vector>

#include "corpus/finding.h"
#include "export/dot.h"
#include "reports/finding_report.h"

namespace parallax {

struct Evidence {
  Rerun rerun;
  std::vector<DotMark> marks;  // of the reduced graph's nodes
};

// Opens the finding's target with its planted faults and runs the reduced case. The error says why that cannot be.
Result<Evidence> run_again(const Finding& finding);

}  // namespace parallax
