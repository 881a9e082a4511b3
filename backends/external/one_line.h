// A command that answers with one line on standard output and ends: the scripts in adapters/ that are no workers.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/result.h"

namespace parallax {

// Runs it and returns the line. Where there is none the error is the last line of its standard error, or says that it
// died or was silent for `limit`.
Result<std::string> one_line(const std::vector<std::string>& command, std::chrono::milliseconds limit);

}  // namespace parallax
