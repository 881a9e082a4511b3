// Command output: what a short program writes.
#pragma once

#include <string>

namespace parallax {

struct CommandOutput {
  bool succeeded = false;
  std::string text;
};

// Runs a shell's command line to its end.
CommandOutput command_output(const std::string& line);

}  // namespace parallax
