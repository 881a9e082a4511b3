// Configuration: the least of a target that still does what it does, of what can be switched off: for our own compiler,
// its passes.
#pragma once

#include <functional>
#include <string>

#include "backends/open_target.h"

namespace parallax {

// Leaves out one pass after the other, as long as `diverges` says yes of the target that is left, and names those that
// remain: "passes functionalize, elide_copies". Empty where the target has no such switches, or where some are set.
std::string least_configuration(const std::string& target, const TargetOptions& options,
                                const std::function<bool(Target& with_less)>& diverges);

}  // namespace parallax
