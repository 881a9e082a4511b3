#include "backends/examine.h"

#include "backends/gradients.h"
#include "oracle/interpreter.h"

namespace parallax {

Result<ExpectedRuns> expected_runs(const Profile& profile, const Case& test) {
  Interpreter interpreter(test.graph, profile);
  TRY(Expected first, interpreter.run(test.feed));
  ExpectedRuns expected{std::move(first), std::nullopt};
  if (Result<Expected> after = interpreter.run(second_feed(test))) expected.b = *std::move(after);
  return expected;
}

Examination examine(Target& target, const Case& test) {
  Examination examination;
  const Result<ExpectedRuns> expected = expected_runs(target.profile(), test);
  if (!expected) {
    // What is too much for us is not what eager raises on.
    const bool unsupported = expected.error().kind == ErrorKind::Unsupported;
    examination.judgement.verdict = unsupported ? Verdict::Unsupported : Verdict::ReferenceRefused;
    examination.judgement.reason = expected.error().text();
    return examination;
  }
  const std::vector<Tensor> second = second_feed(test);
  examination.outcome = target.run(test, expected->b ? &second : nullptr);
  examination.judgement = judge(test.graph, *expected, examination.outcome, target.profile());
  if (!examination.outcome.gradients.empty()) judge_gradients(test, examination.outcome, examination.judgement);
  return examination;
}

std::vector<StageVerdict> examine_stages(Target& target, const Case& test) {
  std::vector<StageVerdict> verdicts;
  Result<Expected> expected = Interpreter(test.graph, target.profile()).run(test.feed);
  if (!expected) return verdicts;
  const ExpectedRuns runs{*std::move(expected), std::nullopt};
  for (StageOutcome& stage : target.stages(test)) {
    verdicts.push_back({std::move(stage.name), judge(test.graph, runs, stage.outcome, target.profile())});
  }
  return verdicts;
}

}  // namespace parallax
