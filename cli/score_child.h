// Scores of faults and mutants, each taken in a process of its own.
#pragma once

#include <nlohmann/json.hpp>

#include "fuzz/score.h"

namespace parallax {

using Json = nlohmann::ordered_json;

// The score of the fault or mutant of that id, as JSON. What it breaks may bring the process down or keep it from
// ending, which is a way of being found but ends no run: then "crashed" is the signal.
Result<Json> score_in_child(const std::string& id, const ScoreOptions& options);

// "  plan 3  sanitizer –": at which graph each detector other than the values saw it.
std::string detector_text(const Json& row);

}  // namespace parallax
