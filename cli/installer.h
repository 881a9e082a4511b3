// The installer of real systems: adapters/install.py, which is Python because the environments are.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace parallax {

// Makes the environments of NAME or NAME@VERSION; what the installer says goes to the terminal. Returns its exit code.
Result<int> install_targets(const std::vector<std::string>& names, bool quiet = false);

// The released versions of a target's family from `low` to `high`, oldest first.
Result<std::vector<std::string>> released_versions(const std::string& target, const std::string& low,
                                                   const std::string& high);

}  // namespace parallax
