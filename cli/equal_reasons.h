// Equal reasons: errors of many lines, those for one reason told once with how many there are.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace parallax {

// A line for each reason, in the order in which they first occur: that error as a whole, "(and N more for the same
// reason)" behind it.
std::vector<std::string> told_once(const std::vector<Error>& errors);

// Prints them on standard error as report_error does.
void report_errors(const std::vector<Error>& errors);

}  // namespace parallax
