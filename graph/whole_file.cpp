#include "graph/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace parallax {

Result<void> write_whole_file(const std::filesystem::path& path, const std::vector<std::string_view>& parts) {
  const std::filesystem::path unfinished = fmt::format("{}.{}.part", path.string(), ::getpid());
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  for (const std::string_view part : parts) out.write(part.data(), static_cast<std::streamsize>(part.size()));
  out.close();
  std::error_code error;
  if (out) {
    std::filesystem::rename(unfinished, path, error);
    if (!error) return {};
  } else {
    error = {errno, std::generic_category()};
  }
  std::error_code left;
  std::filesystem::remove(unfinished, left);
  return std::unexpected(
      Error{ErrorKind::Invalid, path.string(), "", fmt::format("cannot be written: {}", error.message())});
}

}  // namespace parallax
