// Configuration: the least of our own compiler that still does what it does: its passes, and what is built after them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/open_target.h"

namespace parallax {

// Leaves out one pass after the other, as long as `diverges` says yes of the target that is left, and names those that
// remain; then the part at which the build ladder is first wrong, if it is in `diagnoses`: "passes functionalize,
// elide_copies", "any one pass, then the planner". Empty where the target is not ours, or where passes were selected.
std::string least_configuration(const std::string& target, const TargetOptions& options,
                                const std::vector<Diagnosis>& diagnoses,
                                const std::function<bool(Target& with_less)>& diverges);

}  // namespace parallax
