// Examine: one case, one target, one verdict. What fuzz, check, replay and reduce all do with a case.
#pragma once

#include <optional>

#include "backends/target.h"
#include "oracle/judge.h"

namespace parallax {

struct Examination {
  Judgement judgement;
  Outcome outcome;
};

// What the oracle says of run A and, where it does not refuse it, of B, or of all runs of a case that has several. An
// error is what eager raises on run A or a run of the case's own, or, of kind Unsupported, what is too much for the
// oracle.
Result<ExpectedRuns> expected_runs(const Profile& profile, const Case& test);

// Runs the oracle (A and, where it does not refuse, B), then the target, then the judge. `expect` of the case is not
// looked at.
Examination examine(Target& target, const Case& test);

// The same on a program that is built anew: what earlier looks left in a kept one decides nothing.
Examination examine_anew(Target& target, const Case& test);

struct StageVerdict {
  std::string name;
  Judgement judgement;
};

// What the case was after each stage of the target, judged; empty where the target does not tell.
std::vector<StageVerdict> examine_stages(Target& target, const Case& test);

}  // namespace parallax
