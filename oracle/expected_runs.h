// Expected runs: what the oracle says of every run of a case.
#pragma once

#include <optional>
#include <vector>

#include "graph/case.h"
#include "oracle/interpreter.h"

namespace parallax {

// What must come out of each run of the protocol (second and later only where they were run).
struct ExpectedRuns {
  Expected a;
  std::optional<Expected> b;
  std::vector<Expected> later;  // of a case with several runs, in place of B
};

// What the oracle says of run A and, where it does not refuse it, of B, or of all runs of a case that has several. An
// error is what eager raises on run A or a run of the case's own, or, of kind Unsupported, what is too much for the
// oracle. `observe` is called after each node of each run, and `substitute` before.
Result<ExpectedRuns> expected_runs(const Profile& profile, const Case& test,
                                   const Interpreter::Observer& observe = nullptr,
                                   const Interpreter::InnerObserver& inner = nullptr,
                                   const Interpreter::Substitute& substitute = nullptr);

}  // namespace parallax
