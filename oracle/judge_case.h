// Judge a case: by the proof, and where that is weak by an ensemble of legal runs.
#pragma once

#include <map>

#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

// What several outcomes of one case are held against. The ensemble, which costs many runs of the interpreter, is made
// when an outcome needs it, once.
class CaseJudge {
 public:
  // `expected` is what the proof says of the case. All operands outlive the judge.
  CaseJudge(const Profile& profile, const Case& test, const ExpectedRuns& expected, bool promises_identity)
      : profile_(profile), test_(test), expected_(expected), promises_identity_(promises_identity) {}

  // A first look takes a few members; what they accuse is put to all of them before it is a mismatch.
  Judgement judge(const Outcome& outcome);

 private:
  const std::optional<ExpectedRuns>& with_spreads(int members);

  const Profile& profile_;
  const Case& test_;
  const ExpectedRuns& expected_;
  bool promises_identity_;
  std::map<int, std::optional<ExpectedRuns>> by_members_;
};

// The same of one outcome.
Judgement judge_case(const Profile& profile, const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                     bool promises_identity);

}  // namespace parallax
