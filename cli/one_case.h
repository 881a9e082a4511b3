// The one case that a command takes.
#pragma once

#include <string>

#include "graph/case.h"

namespace parallax {

// The case of a file; an error if it holds none or several.
Result<Case> read_one_case(const std::string& path);

}  // namespace parallax
