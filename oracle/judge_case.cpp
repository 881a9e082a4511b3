#include "oracle/judge_case.h"

#include "oracle/ensemble.h"

namespace parallax {
namespace {

// Whether there is something left that an ensemble may say.
bool is_doubtful(const Judgement& judgement) {
  if (judgement.verdict == Verdict::Suspect) return true;
  return judgement.verdict == Verdict::Undecided && judgement.counts.undecided > 0;
}

bool is_statistical(const Judgement& judgement) { return judgement.divergence && judgement.divergence->statistical(); }

}  // namespace

Judgement judge_case(const Profile& profile, const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                     bool promises_identity) {
  const Judgement by_proof = judge(test, expected, outcome, promises_identity);
  if (!is_doubtful(by_proof)) return by_proof;
  ExpectedRuns with_spreads = expected;
  Judgement judgement;
  for (const int members : looks_at(test.graph)) {
    if (!add_spreads(profile, test, members, with_spreads)) return by_proof;
    judgement = judge(test, with_spreads, outcome, promises_identity);
    if (!is_statistical(judgement)) break;
  }
  return judgement;
}

}  // namespace parallax
