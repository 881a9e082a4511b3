// Check report: what `check --html` collects of each target for its page (reports/check_page.h).
#pragma once

#include <string>

#include "backends/target.h"
#include "reports/check_page.h"

namespace parallax {

// The case's name and graph, the day and the version.
CheckReport check_report(const Case& test);

// How far the target's values are from the program in double, and which part of the graph is drawn of it: all, or of a
// long program what lies around the first value that is farther off than eager's. The picture is still missing.
CheckedTarget checked_target(Target& target, const Case& test, Verdict verdict, std::string reason, std::string more);

// Draws each target's graph.
void draw(const Case& test, CheckReport& report);

}  // namespace parallax
