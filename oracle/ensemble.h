// Ensemble: what several legal implementations make of a whole case. How far they lie apart says what a bound that has
// grown too wide does not: which numbers a correct target can be expected to return (docs/oracle.md).
#pragma once

#include <span>

#include "oracle/expected_runs.h"

namespace parallax {

// Members of a first look, and those that an accusation takes.
inline constexpr int first_look_members = 8;
inline constexpr int reported_members = 32;
// Those that an accusation of a program of few elements takes, whose members cost little. A decision may go the other
// way in one legal run of thirty, and 32 members then miss it once in three times; 256 do once in 6,000.
inline constexpr int small_program_members = 256;
// Those that one of the least elements takes, whose members cost next to nothing: of millions of programs some make two
// such decisions in a row, or ask whether sums are equal that are so in one run of a hundred.
inline constexpr int least_program_members = 2048;

// How many members each look at a program takes. A look is the last one where it accuses nothing.
std::span<const int> looks_at(const Graph& graph);

// Runs the ensemble and notes the spread of every element. Nothing is noted, and false returned, where a member raises
// or its runs are others than those of the proof.
bool add_spreads(const Profile& profile, const Case& test, int members, ExpectedRuns& expected);

}  // namespace parallax
