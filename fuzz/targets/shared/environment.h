// Environment: what a target is told beside its input, where an engine has the command line for itself. A mistake there
// ends the program before the first input.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/result.h"

namespace parallax {

// The value of a variable; empty where it is not set.
inline std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Says what is wrong and exits as every command does: 3 for a target that cannot be run, else 2.
[[noreturn]] inline void refuse(const Error& error) {
  fmt::print(stderr, "{}\n", error.text());
  std::exit(error.kind == ErrorKind::NoTarget ? 3 : 2);
}

}  // namespace parallax
