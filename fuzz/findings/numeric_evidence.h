// Numeric evidence: how far wrong numbers are from the reference, and the grade of a finding that is told by it.
#pragma once

#include <optional>

#include "backends/examine.h"
#include "corpus/finding.h"

namespace parallax {

// Of a mismatch of values: the element where the target is the farthest from the reference, by units in the last place.
// The reference is the centre of what the oracle allows, which is computed in f64; of a statistical divergence, the
// program in double. `eager` is what eager made of the case, if it was asked; the default tolerances then hold the
// target against it, else against the rounded reference.
std::optional<NumericEvidence> numeric_evidence(const Profile& profile, const Case& test, const Examination& seen,
                                                const Outcome* eager = nullptr);

// Whether a case is at an edge of an API: it has a tensor without elements, or is fed NaN, an infinity or a subnormal
// number.
bool is_at_an_edge(const Case& test);

// By its verdict, its reduced case and its evidence. A number that must be NaN or infinite is an edge, and so is an
// error where every input is 0-d. Of wrong results that says nothing: a reduction makes sizes as small as it can.
Grade grade_of_finding(const Finding& finding);

}  // namespace parallax
