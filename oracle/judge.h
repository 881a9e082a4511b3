// Judge: is what a target handed back inside what the oracle says must come out?
#pragma once

#include <optional>
#include <vector>

#include "oracle/interpreter.h"
#include "oracle/judgement.h"
#include "oracle/outcome.h"

namespace parallax {

// What must come out of each run of the protocol (second and later only where they were run).
struct ExpectedRuns {
  Expected a;
  std::optional<Expected> b;
  std::vector<Expected> later;  // of a case with several runs, in place of B
};

// Judges an outcome. `graph` gives the names and what is written.
Judgement judge(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity);

}  // namespace parallax
