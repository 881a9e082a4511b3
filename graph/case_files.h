// CaseFiles: the cases behind the paths that a user names, read one at a time, so that a corpus of any size takes the
// memory of one case.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

// Whether a file may hold cases, by its name.
bool is_case_file(const std::filesystem::path& path);

class CaseFiles {
 public:
  // Adds a .json or .jsonl file, or every such file below a folder in name order. An error is a path that is not there,
  // or a folder with no case in it; what in a file is broken is told by broken(), and the rest goes on.
  Result<void> add(const std::string& path);

  std::size_t size() const { return places_.size(); }
  // Reads case k, which could be read when it was added. An error is a file that was changed or removed since.
  Result<Case> read(std::size_t k) const;

  // Files or lines that could not be read.
  const std::vector<Error>& broken() const { return broken_; }

 private:
  struct Place {
    std::size_t file = 0;
    std::size_t begin = 0;  // in bytes
    std::size_t size = 0;
    int line = 0;  // 0: the whole file
  };

  void add_file(const std::filesystem::path& path);

  std::vector<std::filesystem::path> files_;
  std::vector<Place> places_;
  std::vector<Error> broken_;
};

}  // namespace parallax
