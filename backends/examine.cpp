#include "backends/examine.h"

#include "oracle/interpreter.h"

namespace parallax {

Examination examine(Target& target, const Case& test) {
  Examination examination;
  Interpreter interpreter(test.graph, target.profile());
  Result<Expected> first = interpreter.run(test.feed);
  if (!first) {
    // What is too much for us is not what eager raises on.
    const bool unsupported = first.error().kind == ErrorKind::Unsupported;
    examination.judgement.verdict = unsupported ? Verdict::Unsupported : Verdict::ReferenceRefused;
    examination.judgement.reason = first.error().text();
    return examination;
  }
  ExpectedRuns expected{*std::move(first), std::nullopt};
  const std::vector<Tensor> second = second_feed(test);
  if (Result<Expected> after = interpreter.run(second)) expected.b = *std::move(after);

  examination.outcome = target.run(test, expected.b ? &second : nullptr);
  examination.judgement = judge(test.graph, expected, examination.outcome, target.profile());
  return examination;
}

}  // namespace parallax
