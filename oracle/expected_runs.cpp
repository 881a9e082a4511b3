#include "oracle/expected_runs.h"

#include <map>

#include "graph/runs.h"
#include "graph/second_feed.h"

namespace parallax {
namespace {

// What the runs after the first must give; `first` has gone through that one. Each other instance has state of its own.
Result<std::vector<Expected>> expected_later(Interpreter& first, const Profile& profile, const Case& test,
                                             const Interpreter::Observer& observe,
                                             const Interpreter::InnerObserver& inner) {
  std::vector<Expected> expected;
  std::vector<Graph> graphs;
  graphs.reserve(test.later.size());
  std::map<int, Interpreter> others;
  for (const LaterRun& run : test.later) {
    TRY(Graph resized, at_sizes(test.graph, test.symbols, run.sizes));
    Interpreter& interpreter =
        run.instance == 0 ? first : others.try_emplace(run.instance, test.graph, profile).first->second;
    interpreter.resize(graphs.emplace_back(std::move(resized)));
    TRY(Expected after, interpreter.run(run.feed, observe, inner));
    expected.push_back(std::move(after));
  }
  return expected;
}

}  // namespace

Result<ExpectedRuns> expected_runs(const Profile& profile, const Case& test, const Interpreter::Observer& observe,
                                   const Interpreter::InnerObserver& inner) {
  Interpreter interpreter(test.graph, profile);
  TRY(Expected first, interpreter.run(test.feed, observe, inner));
  ExpectedRuns expected{std::move(first), std::nullopt, {}};
  if (has_several_runs(test)) {
    TRY(expected.later, expected_later(interpreter, profile, test, observe, inner));
    return expected;
  }
  if (Result<Expected> after = interpreter.run(second_feed(test), observe, inner)) expected.b = *std::move(after);
  return expected;
}

}  // namespace parallax
