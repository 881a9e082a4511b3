// Judge a case: by the proof, and where that is weak by an ensemble of legal runs.
#pragma once

#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

// `expected` is what the proof says of the case. A first look takes a few members; what they accuse is put to all of
// them before it is a mismatch.
Judgement judge_case(const Profile& profile, const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                     bool promises_identity);

}  // namespace parallax
