// BugFolder: the folder bugs/ of a repository: one file per found bug, data files, and the pages made of both.
#pragma once

#include <filesystem>
#include <vector>

#include "core/result.h"
#include "reports/false_alarms.h"
#include "reports/found_bug.h"
#include "reports/markdown.h"

namespace parallax {

struct BugFolder {
  std::filesystem::path path;
  std::vector<FoundBug> bugs;        // by name
  std::vector<Error> errors;         // of files that could not be read; they are not in `bugs` and `pages`
  std::vector<GeneratedPage> pages;  // what the generated pages have to be
};

// Reads the folder. Fails where it is not there; a broken file is one of `errors`.
Result<BugFolder> read_bug_folder(const std::filesystem::path& path);

// What is wrong with the folder: its errors; cases, controls, scripts and linked files that do not exist; a bug that
// names no counted bug as its cause; a case in corpus/cases/found that is of no bug; pages that are not up to date.
std::vector<Error> check_bug_folder(const BugFolder& folder);

// Writes the pages, and removes generated pages that are no more. Fails where the folder has errors.
Result<void> write_bug_pages(const BugFolder& folder);

}  // namespace parallax
