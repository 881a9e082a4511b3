// CaseFiles: the cases behind the paths that a user names, read one at a time, so that a corpus of any size takes the
// memory of one case. Only compressed files are held in memory, unpacked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

// Whether a file may hold cases, by its name: .json or .jsonl, compressed as .json.gz or .jsonl.gz.
bool is_case_file(const std::filesystem::path& path);

// Every case of a case file, read at once: the file's own error, or one entry per unreadable line.
Result<std::vector<Result<Case>>> read_cases(const std::filesystem::path& path);

class CaseFiles {
 public:
  // Adds a case file, or every one below a folder in name order. An error is a path that is not there,
  // or a folder with no case in it; what in a file is broken is told by broken(), and the rest goes on.
  Result<void> add(const std::string& path);

  std::size_t size() const { return places_.size(); }
  // Reads case k, which could be read when it was added. An error is a file that was changed or removed since.
  Result<Case> read(std::size_t k) const;

  // Files or lines that could not be read.
  const std::vector<Error>& broken() const { return broken_; }

 private:
  struct File {
    std::filesystem::path path;
    std::string unpacked;  // of a compressed file
  };
  struct Place {
    std::size_t file = 0;
    std::size_t begin = 0;  // in bytes, of the text when it is unpacked
    std::size_t size = 0;
    int line = 0;  // 0: the whole file
  };

  void add_file(const std::filesystem::path& path);

  std::vector<File> files_;
  std::vector<Place> places_;
  std::vector<Error> broken_;
};

}  // namespace parallax
