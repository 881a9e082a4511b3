// The command-line reference as a page of Markdown, made of the command tree.
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace parallax {

// One section a command, with its options as a list and its examples. Lines have at most 118 columns, what is one word
// excepted.
std::string reference_page(const CommandEntry& program);

}  // namespace parallax
