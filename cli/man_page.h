// The manual page in roff's man macros, made of the command tree.
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace parallax {

std::string man_page(const CommandEntry& program, std::string_view version);

// A text that roff prints as it is: nothing in it is a request, an escape or a character that a font replaces.
std::string roff_text(std::string_view text);

}  // namespace parallax
