#include "cli/one_case.h"

#include <fmt/format.h>

#include <filesystem>

#include "graph/case_files.h"

namespace parallax {

Result<Case> read_one_case(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    return std::unexpected(Error{ErrorKind::Invalid, path, "", "no such file"});
  TRY(std::vector<Result<Case>> read, read_cases(path));
  if (read.size() != 1) {
    return std::unexpected(
        Error{ErrorKind::Invalid, path, "", fmt::format("holds {} cases; this command takes one", read.size())});
  }
  return std::move(read.front());
}

}  // namespace parallax
