// The cases behind the paths a user names: files of one, files of many, folders.
#pragma once

#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

struct CaseFiles {
  std::vector<Case> cases;
  std::vector<Error> broken;  // files or lines that could not be read; the rest goes on

  // Adds a .json or .jsonl file, or every such file below a folder in name order. An error is a path that is not there,
  // or a folder with no case in it.
  Result<void> add(const std::string& path);
};

// The one case of a file; an error if it holds none or several.
Result<Case> read_one_case(const std::string& path);

}  // namespace parallax
