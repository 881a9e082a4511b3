// First screen: what a person wants of a finding at once: what is wrong as a sentence, what goes in, the code, and
// buttons for what there is to copy.
#pragma once

#include <string>

#include "reports/finding_report.h"
#include "reports/html.h"

namespace parallax {

// "out[0] b, element [0], is -1 and should be 1. 1 of 2 elements is wrong."
std::string wrong_sentence(const FindingReport& report);

void write_first_screen(Html& html, const FindingReport& report);

}  // namespace parallax
