// Writing a file whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace parallax {

// Replaces the file's content; it is written beside it and renamed. The error names the file.
Result<void> write_file(const std::string& path, std::string_view content);

}  // namespace parallax
