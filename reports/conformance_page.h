// The pages of a conformance table and of the difference between two.
#pragma once

#include <string>

#include "reports/conformance.h"

namespace parallax {

std::string conformance_page(const ConformanceTable& table);
std::string difference_page(const ConformanceDifference& difference);

}  // namespace parallax
