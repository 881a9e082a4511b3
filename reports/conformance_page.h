// The pages of a conformance table and of the difference between two.
#pragma once

#include <string>

#include "reports/cell_cases.h"
#include "reports/conformance.h"

namespace parallax {

// `cases` are what the cells open, sorted by op.
std::string conformance_page(const ConformanceTable& table, const std::vector<OpCells>& cases = {});
std::string difference_page(const ConformanceDifference& difference);

}  // namespace parallax
