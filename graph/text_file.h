// Text files in and out, with errors that name the file and the system's reason.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parallax {

// The whole text of a file, unpacked where its name ends in .gz; over 1 GiB is refused.
Result<std::string> read_text_file(const std::filesystem::path& path);
// Creates or replaces a file.
Result<void> write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace parallax
