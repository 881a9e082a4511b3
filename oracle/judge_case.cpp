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
  Judgement judgement = judge(test.graph, expected, outcome, promises_identity);
  if (!is_doubtful(judgement)) return judgement;
  ExpectedRuns with_spreads = expected;
  if (!add_spreads(profile, test, first_look_members, with_spreads)) return judgement;
  judgement = judge(test.graph, with_spreads, outcome, promises_identity);
  if (!is_statistical(judgement)) return judgement;
  return judge_by_ensemble(profile, test, expected, outcome, promises_identity);
}

Judgement judge_by_ensemble(const Profile& profile, const Case& test, ExpectedRuns expected, const Outcome& outcome,
                            bool promises_identity) {
  add_spreads(profile, test, reported_members, expected);
  return judge(test.graph, expected, outcome, promises_identity);
}

}  // namespace parallax
