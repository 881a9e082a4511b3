// --profile of the commands that generate graphs: what the graphs look like.
#pragma once

#include <string>

#include "cli/command.h"
#include "fuzz/generate/generate.h"

namespace parallax {

// Refuses what is no profile's name.
void add_profile_option(CLI::App& command, std::string& profile);

// The profile of a name that the option let through.
GenerateProfile generate_profile(const std::string& name);

}  // namespace parallax
