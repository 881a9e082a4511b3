// Coverage view: op × dtype × alias relation as tables: what campaigns drew, and where the holes are.
#pragma once

#include "reports/campaign_report.h"

namespace parallax {

void write_coverage(Html& html, const CoverageReport& coverage);

}  // namespace parallax
