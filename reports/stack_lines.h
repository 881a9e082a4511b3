// StackLines: of what a program wrote before it ended, the lines that tell where and why: the panic or the exception,
// and the frames of the system's own code.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

// The innermost frames, few enough to read at a glance, without those of the language's run time and of our worker; for
// a text without frames its last lines.
std::string stack_lines(std::string_view written);

}  // namespace parallax
