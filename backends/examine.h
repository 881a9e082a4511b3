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

// Runs the oracle (A and, where it does not refuse, B), then the target, then the judge. `expect` of the case is not looked at.
Examination examine(Target& target, const Case& test);

}  // namespace parallax
