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

const std::optional<ExpectedRuns>& CaseJudge::with_spreads(int members) {
  const auto [entry, is_new] = by_members_.try_emplace(members);
  if (!is_new) return entry->second;
  ExpectedRuns runs = expected_;
  if (add_spreads(profile_, test_, members, runs)) entry->second = std::move(runs);
  return entry->second;
}

Judgement CaseJudge::judge(const Outcome& outcome) {
  Judgement judgement = parallax::judge(test_, expected_, outcome, promises_identity_);
  if (!is_doubtful(judgement)) return judgement;
  const Judgement by_proof = judgement;
  for (const int members : looks_at(test_.graph)) {
    const std::optional<ExpectedRuns>& runs = with_spreads(members);
    if (!runs) return by_proof;
    judgement = parallax::judge(test_, *runs, outcome, promises_identity_);
    if (!is_statistical(judgement)) break;
  }
  return judgement;
}

Judgement judge_case(const Profile& profile, const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                     bool promises_identity) {
  return CaseJudge(profile, test, expected, promises_identity).judge(outcome);
}

}  // namespace parallax
