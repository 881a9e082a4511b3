// Explain: the story of one finding as text, from data: what is wrong, where it comes from, how to see it again.
#pragma once

#include <string>

#include "backends/examine.h"
#include "fuzz/findings/make_finding.h"

namespace parallax {

// Several lines, the last with a line break. `shown` is the examination of the reduced case, `diagnoses` what the
// target says of it.
std::string explain_finding(const MadeFinding& made, const Examination& shown, const std::vector<Diagnosis>& diagnoses);

}  // namespace parallax
