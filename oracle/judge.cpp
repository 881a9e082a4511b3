#include "oracle/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "graph/runs.h"
#include "oracle/judgement_text.h"
#include "oracle/run_comparison.h"

namespace parallax {
namespace {

Verdict verdict_of(Status status) {
  switch (status) {
    case Status::Ok:
      return Verdict::Match;
    case Status::Audited:
      return Verdict::Audited;
    case Status::Rejected:
      return Verdict::Rejected;
    case Status::Unsupported:
      return Verdict::Unsupported;
    case Status::Error:
      return Verdict::InternalError;
    case Status::Crash:
      return Verdict::Crash;
    case Status::Hang:
      return Verdict::Hang;
  }
  return Verdict::InternalError;
}

// Of a target that stopped before there was anything to compare.
Judgement judge_stopped(const ExpectedRuns& expected, const Outcome& outcome) {
  Judgement judgement;
  judgement.verdict = verdict_of(outcome.status);
  judgement.reason =
      outcome.stage.empty() ? outcome.message : fmt::format("{}: {}: {}", outcome.stage, outcome.kind, outcome.message);
  // Where an index that nothing is known of may be out of range, so may what the target says of it.
  const bool may_raise = expected.a.may_raise || (expected.b && expected.b->may_raise) ||
                         std::ranges::any_of(expected.later, &Expected::may_raise);
  const bool stopped = outcome.status == Status::Crash || (outcome.status == Status::Error && outcome.stage == "run");
  if (may_raise && stopped) judgement.verdict = Verdict::Undecided;
  return judgement;
}

// The graph that a run after the first calls, by its place among these; null for the one that the first run calls.
using CalledLater = std::function<const Graph*(std::size_t place)>;

// The runs in the order of the protocol. What was wrong before is not looked for again on a fresh instance.
void compare_runs(const Graph& graph, const CalledLater& called, const ExpectedRuns& expected, const Outcome& outcome,
                  bool promises_identity, Judgement& judgement) {
  RunComparison comparison(graph, judgement);
  // Calls `visit(comparison, place, run)` for each run after the first, with the comparison of what it calls.
  const auto for_each_later = [&](std::size_t count, RunKind kind, auto&& visit) {
    for (std::size_t i = 0; i < std::min(count, expected.later.size()); ++i) {
      const RunId run{kind, static_cast<int>(i) + 2};
      if (const Graph* method = called(i)) {
        RunComparison of_method(*method, judgement);
        visit(of_method, i, run);
      } else {
        visit(comparison, i, run);
      }
    }
  };
  const auto compare_later = [&](std::span<const Observation> got, RunKind kind) {
    for_each_later(got.size(), kind, [&](RunComparison& of_run, std::size_t i, const RunId& run) {
      of_run.run(expected.later[i], got[i], run);
    });
  };
  const auto is_right_so_far = [&] { return judgement.verdict != Verdict::Mismatch; };
  comparison.run(expected.a, *outcome.a, {RunKind::A});
  if (promises_identity && expected.a.one_identity) comparison.identity(expected.a, *outcome.a);
  if (outcome.b && expected.b) comparison.run(*expected.b, *outcome.b, {RunKind::B});
  compare_later(outcome.later, RunKind::Later);
  if ((outcome.b || !outcome.later.empty()) && is_right_so_far()) {
    comparison.kept(expected.a, outcome.a_kept, {outcome.b ? RunKind::AKeptAfterB : RunKind::AKeptAfterTheLast});
  }
  if (is_right_so_far()) {
    for_each_later(outcome.later_kept.size(), RunKind::LaterKept,
                   [&](RunComparison& of_run, std::size_t i, const RunId& run) {
                     of_run.kept(expected.later[i], outcome.later_kept[i], run);
                   });
  }
  if (!outcome.a_again) return;
  if (is_right_so_far()) comparison.run(expected.a, *outcome.a_again, {RunKind::AOnFreshInstance});
  if (is_right_so_far() && !same_bits(*outcome.a, *outcome.a_again, expected.a)) {
    judgement.verdict = Verdict::Nondeterministic;
    return;
  }
  compare_later(outcome.later_again, RunKind::LaterOnFreshInstance);
}

Judgement judge_runs(const Graph& graph, const CalledLater& called, const ExpectedRuns& expected,
                     const Outcome& outcome, bool promises_identity) {
  if (outcome.status != Status::Ok || !outcome.a) return judge_stopped(expected, outcome);
  Judgement judgement;
  compare_runs(graph, called, expected, outcome, promises_identity, judgement);
  if (judgement.verdict == Verdict::Nondeterministic) {
    judgement.reason = "two runs of the same input differ";
  } else if (judgement.divergence) {
    if (judgement.verdict == Verdict::Suspect) judgement.reason = "more than 8 deviations off: ";
    judgement.reason += reason_line(*judgement.divergence);
  } else if (judgement.counts.undecided > 0) {
    judgement.verdict = Verdict::Undecided;
    judgement.reason = undecided_line(judgement.counts);
  } else if (judgement.unobserved) {
    judgement.verdict = Verdict::Undecided;
    judgement.reason = "state that the graph writes is not handed back";
  }
  return judgement;
}

}  // namespace

Judgement judge(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity) {
  return judge_runs(graph, [](std::size_t) { return nullptr; }, expected, outcome, promises_identity);
}

Judgement judge(const Case& test, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity) {
  const CalledLater called = [&](std::size_t place) -> const Graph* {
    const bool calls_method = place < test.later.size() && test.later[place].method != 0;
    return calls_method ? &called_graph(test, place + 1) : nullptr;
  };
  return judge_runs(test.graph, called, expected, outcome, promises_identity);
}

}  // namespace parallax
