#include "cli/write_file.h"

#include <filesystem>
#include <fstream>

namespace parallax {

Result<void> write_file(const std::string& path, std::string_view content) {
  const std::string partial = path + ".partial";
  std::ofstream file(partial, std::ios::binary);
  file << content;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(partial, path, error);
  if (!file || error) return std::unexpected(Error{ErrorKind::Invalid, path, "", "cannot be written"});
  return {};
}

}  // namespace parallax
