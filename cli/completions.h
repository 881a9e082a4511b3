// Completion scripts, one a shell, made of the command tree.
//
// Each script finds the command among the first words, then offers what can stand next: the values of the option before
// the cursor where they are known, file names where they are not, else options, subcommands or values of an argument.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace parallax {

std::string bash_completion(const CommandEntry& program);
std::string fish_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);

}  // namespace parallax
