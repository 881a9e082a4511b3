// Measurements of how bugs are found, as files with one JSON object per line, and the page that shows them:
//   rediscovery.jsonl  known bugs that a campaign found again
//   rates.jsonl        new findings per hour
// Their members are the columns in measurements.cpp.
#pragma once

#include <string_view>

#include "core/result.h"
#include "reports/markdown.h"

namespace parallax {

// The error names file, line and member.
Result<GeneratedPage> measurement_page(std::string_view rediscovery, std::string_view rates);

}  // namespace parallax
