#include "backends/examine.h"

#include <fmt/format.h>

#include "backends/gradients.h"
#include "graph/runs.h"
#include "graph/second_feed.h"
#include "ops/counted_size.h"
#include "oracle/interpreter.h"
#include "oracle/judge_case.h"

namespace parallax {

Examination examine(Target& target, const Case& test) {
  Examination examination;
  if (has_several_runs(test) && !target.takes_several_runs()) {
    examination.outcome.status = Status::Unsupported;
    examination.judgement.verdict = Verdict::Unsupported;
    examination.judgement.reason = fmt::format("{} takes no case with several runs", target.name());
    return examination;
  }
  if (!test.methods.empty() && !target.takes_methods()) {
    examination.outcome.status = Status::Unsupported;
    examination.judgement.verdict = Verdict::Unsupported;
    examination.judgement.reason = fmt::format("{} takes no case with several methods", target.name());
    return examination;
  }
  const Result<ExpectedRuns> expected = expected_runs(target.profile(), test);
  if (!expected) {
    // What is too much for us is not what eager raises on.
    const bool unsupported = expected.error().kind == ErrorKind::Unsupported;
    examination.judgement.verdict = is_open_count(expected.error()) ? Verdict::Undecided
                                    : unsupported                   ? Verdict::Unsupported
                                                                    : Verdict::ReferenceRefused;
    examination.judgement.reason = expected.error().text();
    return examination;
  }
  const std::vector<Tensor> second = second_feed(test);
  examination.outcome = target.run(test, expected->b ? &second : nullptr);
  examination.judgement =
      judge_case(target.profile(), test, *expected, examination.outcome, target.promises_identity());
  if (!examination.outcome.gradients.empty()) judge_gradients(test, examination.outcome, examination.judgement);
  return examination;
}

Examination examine_anew(Target& target, const Case& test) {
  target.forget_program();
  return examine(target, test);
}

std::vector<StageVerdict> examine_stages(Target& target, const Case& test) {
  std::vector<StageVerdict> verdicts;
  Result<Expected> expected = Interpreter(test.graph, target.profile()).run(test.feed);
  if (!expected) return verdicts;
  const ExpectedRuns runs{*std::move(expected), std::nullopt, {}};
  for (StageOutcome& stage : target.stages(test)) {
    verdicts.push_back({std::move(stage.name), judge(test.graph, runs, stage.outcome, target.promises_identity())});
  }
  return verdicts;
}

}  // namespace parallax
