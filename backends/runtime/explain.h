// Explain: what the compiler's own detectors saw, as a finding prints it. All of it is made from the program and the
// failures.
#pragma once

#include <optional>
#include <string_view>

#include "backends/runtime/pass_checks.h"
#include "backends/runtime/program_checks.h"
#include "backends/target.h"
#include "planner/plan_checker.h"
#include "planner/violation.h"

namespace parallax::runtime {

// Whether every pass keeps the meaning, and which does not.
Diagnosis explain_passes(const std::vector<PassFailure>& failures);

// What a partition or a loop loses.
Diagnosis explain_program(const ProgramFailure& failure);

// The first failure and the annotated schedule around it: one line a step with its call, its place in memory and what
// it did to the storage in question; nothing if there is no failure. `source` is the graph before the passes: a step
// that is a copy there and a view now was elided. The plan was made by this reckoning.
// What the plan checker finds in the programs of a program's subgraphs, and in theirs, as one line each that names the
// subgraph.
struct SubgraphFailure {
  std::string text;
  bool of_control = false;  // of what the call makes of the plan, not of the plan as it was made
};
std::vector<SubgraphFailure> subgraph_failures(const Program& program);
// The same as a diagnosis; nothing where there is none.
std::optional<Diagnosis> explain_subgraphs(const Program& program);

std::optional<Diagnosis> explain_failures(Detector detector, const Graph& source, const Program& program,
                                          const Reckoning& reckon, const std::vector<PlanFailure>& failures);

// One line a partition: its backend and the calls that it is given.
std::vector<std::string> partition_lines(const Program& program, std::span<const Backend> backends);

}  // namespace parallax::runtime
