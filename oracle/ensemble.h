// Ensemble: what several legal implementations make of a whole case. How far they lie apart says what a bound that has
// grown too wide does not: which numbers a correct target can be expected to return (docs/oracle.md).
#pragma once

#include "oracle/expected_runs.h"

namespace parallax {

// Members of a first look, and those that an accusation takes.
inline constexpr int first_look_members = 8;
inline constexpr int reported_members = 32;

// Runs the ensemble and notes the spread of every element. Nothing is noted, and false returned, where a member raises
// or its runs are others than those of the proof.
bool add_spreads(const Profile& profile, const Case& test, int members, ExpectedRuns& expected);

}  // namespace parallax
