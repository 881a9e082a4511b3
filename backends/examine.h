// Examine: one case, one target, one verdict. What fuzz, check, replay and reduce all do with a case.
#pragma once

#include <string>
#include <vector>

#include "backends/target.h"
#include "oracle/judgement.h"

namespace parallax {

struct Examination {
  Judgement judgement;
  Outcome outcome;
};

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
