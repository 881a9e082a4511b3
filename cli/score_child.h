// Scores of faults and mutants, each taken in a process of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "fuzz/score.h"

namespace parallax {

using Json = nlohmann::ordered_json;

// The scores of the faults or mutants of those ids, as JSON, taken in `jobs` processes side by side. `tell` gets each
// as soon as those before it are there. What a fault breaks may bring its process down or keep it from ending, which is
// a way of being found but ends no run: then "crashed" is the signal.
Result<std::vector<Json>> score_in_children(const std::vector<std::string>& ids, const ScoreOptions& options, int jobs,
                                            const std::function<void(const Json&)>& tell);

// "  plan 3  sanitizer –": at which graph each detector other than the values saw it.
std::string detector_text(const Json& row);

}  // namespace parallax
