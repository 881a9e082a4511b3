// Finding list: one card for each root cause, with the findings that share it folded below. What the page's script
// searches and chooses by stands in the cards' attributes.
#pragma once

#include <string>
#include <vector>

#include "reports/finding_report.h"
#include "reports/html.h"

namespace parallax {

// Findings with one root cause have one signature but for the target's name.
std::string root_cause(const Finding& finding);

// `compared`: with each finding's standing.
void write_finding_list(Html& html, const std::vector<FindingReport>& findings, bool compared);

}  // namespace parallax
