#include "cli/named_cases.h"

#include <algorithm>
#include <filesystem>

namespace parallax {
namespace {

namespace fs = std::filesystem;

bool is_case_file(const fs::path& path) { return path.extension() == ".json" || path.extension() == ".jsonl"; }

}  // namespace

Result<void> CaseFiles::add(const std::string& path) {
  std::error_code error;
  std::vector<fs::path> files;
  if (fs::is_directory(path, error)) {
    for (auto entry = fs::recursive_directory_iterator(path, error); !error && entry != fs::recursive_directory_iterator();
         entry.increment(error)) {
      if (entry->is_regular_file() && is_case_file(entry->path())) files.push_back(entry->path());
    }
    if (error) return std::unexpected(Error{ErrorKind::Invalid, path, "", error.message()});
    if (files.empty()) return std::unexpected(Error{ErrorKind::Invalid, path, "", "no .json or .jsonl file below this folder"});
    std::sort(files.begin(), files.end());
  } else {
    if (!fs::exists(path, error)) return std::unexpected(Error{ErrorKind::Invalid, path, "", "no such file or folder"});
    files.emplace_back(path);
  }
  for (const fs::path& file : files) {
    Result<std::vector<Result<Case>>> read = read_cases(file);
    if (!read) {
      broken.push_back(std::move(read.error()));
      continue;
    }
    for (Result<Case>& entry : *read) {
      if (entry) {
        cases.push_back(*std::move(entry));
      } else {
        broken.push_back(std::move(entry.error()));
      }
    }
  }
  return {};
}

Result<Case> read_one_case(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::unexpected(Error{ErrorKind::Invalid, path, "", "no such file"});
  TRY(std::vector<Result<Case>> read, read_cases(path));
  if (read.size() != 1) return std::unexpected(Error{ErrorKind::Invalid, path, "", fmt::format("holds {} cases; this command takes one", read.size())});
  return std::move(read.front());
}

}  // namespace parallax
