// The pages about found bugs that are made from their files: an overview with the counts per system, and one page per
// system with a row per bug.
#pragma once

#include <array>
#include <vector>

#include "reports/found_bug.h"
#include "reports/markdown.h"

namespace parallax {

// Counts over some bugs. Only those that are counted are in `causes` and in what is counted of them.
struct BugCounts {
  int causes = 0;
  int silent = 0;
  int aliasing = 0;
  int with_thread = 0;                         // with a thread in the system's own tracker
  double median_calls = 0;                     // of the counted bugs' cases; 0 for none
  std::array<int, grade_count> by_grade = {};  // of the causes
  int fixed = 0;    // not counted: a newer release had the fix when the bug was found in an older one
  int further = 0;  // not counted: another case of a counted cause

  bool operator==(const BugCounts&) const = default;
};
BugCounts count_bugs(const std::vector<const FoundBug*>& bugs);

// The bugs of each system, systems by name.
std::vector<std::vector<const FoundBug*>> bugs_by_system(const std::vector<FoundBug>& bugs);

// README.md and by-system/SLUG.md, whose links hold in the folder of the bugs' files.
std::vector<GeneratedPage> bug_pages(const std::vector<FoundBug>& bugs);

}  // namespace parallax
