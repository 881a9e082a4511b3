// --validate: the Khronos validation layer looks on at what a target does on a Vulkan device.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace parallax {

void add_validate_flag(CLI::App& command, bool& validate);

// Puts the option into the names of the targets that have it, so that a finding says how it is seen. Refuses the flag
// where none has.
Result<void> ask_for_validation(bool validate, std::vector<std::string>& targets);

}  // namespace parallax
