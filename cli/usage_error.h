// Usage errors: a command line that cannot be read, as one line for a person.
#pragma once

#include <string>

#include "cli/command.h"

namespace parallax {

// What is wrong with the command line that CLI11 gave up on, and what to do: the nearest command or option, what is
// missing, or what the check of a value says.
std::string usage_error(const CLI::App& program, const CLI::ParseError& error);

// The same of a word that should be the name of a command.
std::string unknown_command(const CLI::App& command, const std::string& word);

}  // namespace parallax
