// Pass checks: does each pass keep the meaning, leave a valid graph, and change nothing when it runs again?
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.h"
#include "graph/case.h"

namespace parallax {

struct PassFailure {
  std::string pass;
  std::string what;  // "changes out[0] e: …", "is not idempotent", "leaves an invalid graph: …"
  std::string kind;  // the same without what the graph determines: "cast", "is not idempotent"
};

// Rebuilding the graph gives the same graph: every call infers and every invariant of the builder holds.
Result<void> validate(const Graph& graph);

// Runs the passes on the case's graph and the reference interpreter, twice with state passed on, on what each was given
// and made: the first failure of each pass. A case that eager refuses is checked for validity and idempotence only.
std::vector<PassFailure> check_passes(const Case& test, const CompileOptions& options, const Profile& profile);

}  // namespace parallax
