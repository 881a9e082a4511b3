// CollectedEnvironment: what the collector of versions prints that a system's maintainers ask for (corpus/collector.h).
#pragma once

#include <string>

#include "core/result.h"

namespace parallax {

// Runs it with the Python of the target's environment, and cuts what it prints to the lines that matter. Empty where
// the target has no collector; an error where it is not installed, or ends with an error.
Result<std::string> collected_environment(const std::string& target);

}  // namespace parallax
