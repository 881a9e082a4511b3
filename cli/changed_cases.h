// Changed cases: the case files that Git says are new or other since a revision.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace parallax {

// The .json and .jsonl files of a path (one of them, or a folder) that differ from what they were at the revision,
// those that are not committed included, in name order. An error is what Git says: no such revision, no repository.
Result<std::vector<std::string>> changed_cases(const std::string& path, const std::string& revision);

}  // namespace parallax
