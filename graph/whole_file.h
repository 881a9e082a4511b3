// Files that are written whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace parallax {

// Creates or replaces a file that holds these parts, one after the other. They go into a file of another name first,
// which no other process uses, so that nobody sees half of them. The error names the file and the system's reason.
Result<void> write_whole_file(const std::filesystem::path& path, const std::vector<std::string_view>& parts);

}  // namespace parallax
