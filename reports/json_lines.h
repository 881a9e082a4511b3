// JSON lines: files with one JSON object per line, read with errors that name the line.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_field.h"

namespace parallax {

// Calls `visit` for each line that is not blank, in order. The file of an error is "FILE:LINE". Where `broken` is
// given, errors go there and the other lines are visited; else the first one ends it.
Result<void> for_each_json_line(const std::string& file, std::string_view text,
                                const std::function<Result<void>(const Field& object)>& visit,
                                std::vector<Error>* broken = nullptr);

}  // namespace parallax
