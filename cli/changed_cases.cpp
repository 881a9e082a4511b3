#include "cli/changed_cases.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/command_output.h"
#include "cli/shell_word.h"
#include "graph/case_files.h"

namespace parallax {
namespace {

namespace fs = std::filesystem;

// Adds the names that Git lists, each ended by a zero byte, relative to the folder.
Result<void> add_listed(const fs::path& folder, const std::string& what, std::set<fs::path>& files) {
  const CommandOutput output = command_output(fmt::format("git -C {} {} 2>&1", shell_word(folder.string()), what));
  if (!output.succeeded) {
    const std::string reason = output.text.substr(0, output.text.find('\n'));
    return std::unexpected(Error{ErrorKind::Invalid, folder.string(), "",
                                 "what changed cannot be told: " + (reason.empty() ? "git does not run" : reason)});
  }
  for (std::size_t begin = 0; begin < output.text.size();) {
    const std::size_t end = output.text.find('\0', begin);
    files.insert(folder / output.text.substr(begin, end - begin));
    begin = end == std::string::npos ? end : end + 1;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> changed_cases(const std::string& path, const std::string& revision) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::unexpected(Error{ErrorKind::Invalid, path, "", "no such file or folder"});
  if (revision.starts_with('-')) return fail("'{}' is not a revision", revision);
  const bool whole = fs::is_directory(path, error);
  const fs::path parent = fs::path(path).parent_path();
  const fs::path folder = whole ? fs::path(path) : parent.empty() ? fs::path(".") : parent;
  std::set<fs::path> files;
  TRY_VOID(add_listed(folder, "diff --relative --name-only -z --diff-filter=d " + shell_word(revision) + " --", files));
  TRY_VOID(add_listed(folder, "ls-files --others --exclude-standard -z", files));
  std::vector<std::string> changed;
  for (const fs::path& file : files) {
    const bool asked = whole ? is_case_file(file) : file.filename() == fs::path(path).filename();
    if (asked) changed.push_back(file.string());
  }
  return changed;
}

}  // namespace parallax
