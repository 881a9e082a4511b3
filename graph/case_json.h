// Cases as JSON text: the case file, version 1 (docs/case-format.md).
#pragma once

#include <string>
#include <string_view>

#include "graph/case.h"

namespace parallax {

// Reads one case. `file` goes into errors. Every error names the JSON pointer of the field that is at fault.
Result<Case> parse_case(std::string_view json, const std::string& file = "");
// Writes one case; `indent` < 0 puts it on one line. What parse_case reads back is equal.
std::string to_json(const Case& test, int indent = -1);

}  // namespace parallax
