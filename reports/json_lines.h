// JSON lines: files with one JSON object per line, read with errors that name the line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/json_field.h"

namespace parallax {

// Calls `visit` for each line that is not blank, in order. Stops at the first error, whose file is "FILE:LINE".
Result<void> for_each_json_line(const std::string& file, std::string_view text,
                                const std::function<Result<void>(const Field& object)>& visit);

}  // namespace parallax
