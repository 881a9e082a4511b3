// Arena record: how our own compiler lays out the memory of a case, and what its detectors find wrong with it; for a
// picture of it.
#pragma once

#include <string_view>

#include "compiler/compile.h"
#include "graph/case.h"
#include "planner/plan_checker.h"

namespace parallax::runtime {

struct ArenaRecord {
  std::string_view build;  // "plain" or "partitioned and fused"
  Program program;         // at the sizes of the first run
  std::vector<PlanFailure> failures;
};

// Of the two programs that every case is run as (backends/runtime/builds.h), the first of which a detector says
// something, else the first.
Result<ArenaRecord> record_arena(const Case& test, const FaultSet& faults, const PassSelection& selection);

}  // namespace parallax::runtime
