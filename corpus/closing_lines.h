// Closing lines: the end of a finding's explanation: its grade, the evidence for it and what a jury says. They are made
// when it is shown, since they may change after it was found.
#pragma once

#include <string>

#include "corpus/finding.h"

namespace parallax {

// The first of them begins with this, behind a line break.
inline constexpr std::string_view closing_words = "  grade: ";

// Lines with two spaces before them; empty for a finding that was stored before there were grades.
std::string closing_lines(const Finding& finding);

}  // namespace parallax
