// Scores of faults and mutants as rows of JSON, each taken in a process of its own.
#pragma once

#include "cli/child_jobs.h"
#include "fuzz/score/score.h"

namespace parallax {

// The scores of the faults or mutants of those ids, taken in `jobs` processes side by side. `tell` gets each as soon as
// those before it are there. Where a fault brings its process down or keeps it from ending, which is a way of being
// found, "crashed" is the signal.
Result<std::vector<Json>> score_in_children(const std::vector<std::string>& ids, const ScoreOptions& options, int jobs,
                                            const std::function<void(const Json&)>& tell);

// What a detector saw of a row that did not crash: "found", "graphs" and "seconds".
const Json& seen_by(const Json& row, Detector detector);

// "  plan 3  sanitizer –": at which graph each detector other than the values saw it.
std::string detector_text(const Json& row);

}  // namespace parallax
