// Rerun: a stored finding run again where it diverged, for what a report shows and a finding's folder does not keep.
#pragma once

#include <optional>
#include <vector>

#include "backends/target.h"
#include "corpus/finding.h"
#include "export/dot.h"
#include "reports/finding_report.h"

namespace parallax {

struct Evidence {
  Rerun rerun;
  std::vector<DotMark> marks;  // of the reduced graph's nodes
  std::optional<PassChange> pass_change;
  std::vector<TriggerRow> triggers;
};

// Opens the finding's target with its planted faults and runs the reduced case. `eager` is held beside it; null where
// none is started. The error says why that cannot be.
Result<Evidence> run_again(const Finding& finding, Target* eager);

}  // namespace parallax
