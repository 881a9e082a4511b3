// score --mutants: which slips in the planner and the compiler the fuzzer notices.
#pragma once

#include "fuzz/score/score.h"

namespace parallax {

// Scores that many mutants, drawn by the seed, `jobs` of them at once, and prints a row for each, the killed share by
// each detector, and those that survived. Returns the exit code.
Result<int> score_mutants(std::size_t count, ScoreOptions options, int jobs, bool json);

}  // namespace parallax
