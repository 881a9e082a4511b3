// NearestBug: which of the bugs in bugs/ a finding is the most like, so that a person looks there first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "corpus/finding.h"
#include "reports/found_bug.h"

namespace parallax {

class KnownBugs {
 public:
  // Those that the program brings, with their cases; none where it brings none.
  static KnownBugs of_this_program();

  // Of the bugs of the finding's system, the one that is the least distant (fuzz/findings/furthest_first.h); null where
  // none shares an op with it.
  const FoundBug* nearest(const Finding& finding) const;
  // The bug whose saved case the finding's reduced one is; null where it is none.
  const FoundBug* same(const Finding& finding) const;

 private:
  struct Entry {
    FoundBug bug;
    Finding like;  // its case, as a finding of the system
  };
  std::vector<Entry> entries_;
};

// "a quotient of … (bugs/NAME.md)".
std::string bug_text(const FoundBug& bug);

}  // namespace parallax
