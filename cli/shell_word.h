// Shell word: a text as one word of a POSIX shell's command line, whatever it holds.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

std::string shell_word(std::string_view text);

}  // namespace parallax
