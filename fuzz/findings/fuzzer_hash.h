// Fuzzer hash: how a finding is told apart from others by services that group crashes.
//
// ClusterFuzz groups crashes by their stacks, which are all the same here, and takes numbers, template arguments and op
// names in an assertion's text for incidental. A line "ASSERTION FAILED: FuzzerHash=<letters>" makes it compare
// exactly.
#pragma once

#include <string>
#include <string_view>

namespace parallax {

// A hash of a signature in letters, a to z alone. The same on every machine.
std::string fuzzer_letters(std::string_view signature);

// "ASSERTION FAILED: FuzzerHash=<letters> <signature>", on one line.
std::string fuzzer_hash_line(std::string_view signature);

// Prints the text and the line on standard error and aborts, so that an engine keeps the input and there is a stack.
[[noreturn]] void stop_with(std::string_view signature, std::string_view text);

}  // namespace parallax
