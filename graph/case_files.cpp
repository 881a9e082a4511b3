#include "graph/case_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "graph/case_json.h"
#include "graph/gzip_file.h"
#include "graph/text_file.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

// The extension of a case file, whether it is compressed or not.
fs::path kind_of(const fs::path& path) { return (is_gzip_file(path) ? path.stem() : path).extension(); }
bool is_lines(const fs::path& path) { return kind_of(path) == ".jsonl"; }
// Where an error says that a case is.
std::string name_of(const fs::path& path, int line) {
  return line == 0 ? path.string() : fmt::format("{}:{}", path.string(), line);
}

// Calls `visit` with the text of each case of a file, and the number of its line (0: the file is one case). Hands back
// the whole text.
Result<std::string> for_each_text(
    const fs::path& path, const std::function<void(std::string_view text, std::size_t begin, int line)>& visit) {
  if (!is_case_file(path)) {
    return std::unexpected(
        Error{ErrorKind::Invalid, path.string(), "", "a case file ends in .json or .jsonl, with or without .gz"});
  }
  TRY(std::string text, read_text_file(path));
  if (!is_lines(path)) {
    visit(text, 0, 0);
    return text;
  }
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) visit(line, begin, number);
    begin = end + 1;
  }
  return text;
}

Result<std::vector<fs::path>> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) return std::unexpected(Error{ErrorKind::Invalid, path, "", "no such file or folder"});
    return std::vector<fs::path>{path};
  }
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(path, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file() && is_case_file(entry->path())) files.push_back(entry->path());
  }
  if (error) return std::unexpected(Error{ErrorKind::Invalid, path, "", error.message()});
  if (files.empty())
    return std::unexpected(Error{ErrorKind::Invalid, path, "", "no .json or .jsonl file below this folder"});
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_case_file(const fs::path& path) { return kind_of(path) == ".json" || is_lines(path); }

Result<std::vector<Result<Case>>> read_cases(const fs::path& path) {
  std::vector<Result<Case>> cases;
  TRY_VOID(for_each_text(path, [&](std::string_view text, std::size_t, int line) {
    cases.push_back(parse_case(text, name_of(path, line)));
  }));
  return cases;
}

void CaseFiles::add_file(const fs::path& path) {
  const std::size_t file = files_.size();
  files_.push_back({path, ""});
  auto read = for_each_text(path, [&](std::string_view text, std::size_t begin, int line) {
    if (auto test = parse_case(text, name_of(path, line))) {
      places_.push_back({file, begin, text.size(), line});
    } else {
      broken_.push_back(std::move(test).error());
    }
  });
  if (!read) {
    broken_.push_back(read.error());
  } else if (is_gzip_file(path)) {
    files_.back().unpacked = *std::move(read);
  }
}

Result<void> CaseFiles::add(const std::string& path) {
  TRY(const std::vector<fs::path> files, files_of(path));
  for (const fs::path& file : files) add_file(file);
  return {};
}

Result<Case> CaseFiles::read(std::size_t k) const {
  const Place& place = places_.at(k);
  const auto& [path, unpacked] = files_.at(place.file);
  if (is_gzip_file(path)) {
    return parse_case(std::string_view(unpacked).substr(place.begin, place.size), name_of(path, place.line));
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(place.size, '\0');
  stream.seekg(static_cast<std::streamoff>(place.begin));
  if (!stream.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    return std::unexpected(
        Error{ErrorKind::Invalid, name_of(path, place.line), "", "was changed while it was replayed"});
  }
  return parse_case(text, name_of(path, place.line));
}

}  // namespace parallax
