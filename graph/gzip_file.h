// Gzip files (RFC 1952), unpacked whole and never beyond a bound, with errors that name the file and the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace parallax {

// Whether a file is gzip data, by its name: one that ends in .gz.
bool is_gzip_file(const std::filesystem::path& path);

// What the file unpacks to, all of its members one after the other. An error is a file that cannot be opened, that is
// no gzip data, is damaged or cut off, or unpacks to more than `max_bytes`.
Result<std::string> read_gzip_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace parallax
