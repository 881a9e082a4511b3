// VerdictBook: which verdict each case of a corpus had on which target, and on which versions of it: one JSON object a
// line,
//   {"case": "found/x.json", "target": "thunder", "versions": {"thunder": "0.2.6"}, "verdict": "mismatch", "reason":
//   "…"}
// and "processor" where the verdict depends on it, and "also": ["crash"] where it is another one in some runs. What
// differs from it is news: a bug that is fixed, or a new one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/judge.h"

namespace parallax {

struct RecordedVerdict {
  std::string path;  // of the case, below the corpus's cases/
  std::string target;
  std::vector<std::pair<std::string, std::string>> versions;  // of the target's packages, by package
  Verdict verdict = Verdict::Match;
  std::string reason;     // the judge's line at the time
  std::string processor;  // the level (corpus/processor.h) it was seen on; empty: of all without an entry of their own
  // What it is in other runs, as where a system reads memory that is not its own; written into the file by hand.
  std::vector<Verdict> also{};

  bool holds(Verdict now) const;
};

// What a case does now, against what is recorded.
enum class VerdictChange {
  Same,        // right as recorded, or declined as recorded
  StillThere,  // the recorded divergence
  Fixed,       // it diverged, and does not any more
  New,         // it did not diverge, and does now
  Other,       // another kind of divergence, or of not diverging
};
// "still there".
std::string_view name(VerdictChange change);
VerdictChange change_of(Verdict recorded, Verdict now);
VerdictChange change_of(const RecordedVerdict& recorded, Verdict now);

class VerdictBook {
 public:
  // Reads the lines of a file; a file that is not there is an empty book. A broken line is left out,
  // and told by broken(): the others count. An error is a file that cannot be read.
  static Result<VerdictBook> read(const std::filesystem::path& path);
  // Writes the lines, by case and target, those that could not be read behind them; the file is replaced at once.
  Result<void> write(const std::filesystem::path& path) const;

  const std::vector<RecordedVerdict>& entries() const { return entries_; }
  // Lines that could not be read, with their numbers.
  const std::vector<Error>& broken() const { return broken_; }
  // The entries of one case.
  std::vector<const RecordedVerdict*> of(std::string_view path) const;
  // The entry that a new verdict is to be held against: of its versions, else the last one of others, and of its
  // processor before one that does not depend on it. nullptr if there is none, or only of other processors.
  const RecordedVerdict* expected(const RecordedVerdict& now) const;
  // Whether the verdicts of an entry's case and target are recorded by processor.
  bool depends_on_processor(const RecordedVerdict& entry) const;
  // Adds an entry in the place of that of the same case, target, versions and processor. One of several verdicts stays
  // where the new one is among them.
  void set(RecordedVerdict entry);

 private:
  std::vector<RecordedVerdict> entries_;
  std::vector<Error> broken_;
  std::vector<std::string> broken_lines_;
};

}  // namespace parallax
