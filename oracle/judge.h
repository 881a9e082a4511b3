// Judge: is what a target handed back inside what the oracle says must come out?
#pragma once

#include "graph/case.h"
#include "oracle/expected_runs.h"
#include "oracle/judgement.h"
#include "oracle/outcome.h"

namespace parallax {

// Judges an outcome by the proof and, where `expected` has spreads, by the ensemble. `graph` gives the names and what
// is written.
Judgement judge(const Graph& graph, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity);
// The same for a case whose runs may call methods: each run is compared under the names of what it calls.
Judgement judge(const Case& test, const ExpectedRuns& expected, const Outcome& outcome, bool promises_identity);

}  // namespace parallax
