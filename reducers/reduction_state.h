// Reduction: where a reduction stands: the smallest interesting case so far, and what it has cost to find it.
//
// A reduction pass either lists candidates or works on this directly, where what it tries next depends on what was
// found.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "reducers/reduce.h"
#include "reducers/size.h"

namespace parallax {

using MakeCandidate = std::function<std::optional<Case>(std::size_t place)>;

class Reduction {
 public:
  // `test` is interesting. All arguments must outlive the search.
  Reduction(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
            const ReduceOptions& options);

  const Case& best() const { return best_; }
  // What the values of best() hold, remembered until it changes; null where they cannot be recorded.
  const std::vector<Tensor>* values();
  // What the values of another case hold.
  const RecordedValues& recorded() const { return recorded_; }
  // Takes the candidate as the best if it is one, smaller, not checked before, and interesting.
  bool take(std::optional<Case> candidate);
  // Takes the first of `count` candidates that is as take() wants it. They are made and asked about in order, as many
  // together as the options say, until one succeeds: the rest are not made. The places of those that succeeded; the
  // first one was taken.
  std::vector<std::size_t> take_first(std::size_t count, const MakeCandidate& candidate);
  // Whether a limit was reached, or somebody interrupted, with work left.
  bool spent() const { return spent_; }
  // The pass that works now, for whoever looks on.
  void enter(std::string_view pass) { pass_ = pass; }

  int checks() const { return checks_; }
  double seconds() const;

 private:
  // Whether there is no question left to ask, remembered in `spent_`.
  bool ends_here();
  std::vector<bool> ask(std::span<const Case> candidates);

  const Interesting& interesting_;
  const RecordedValues& recorded_;
  const ReduceOptions& options_;
  std::chrono::steady_clock::time_point started_;
  Case best_;
  CaseSize best_size_;
  std::optional<std::vector<Tensor>> values_;
  bool values_known_ = false;
  std::unordered_set<std::string> seen_;  // cases that were checked, as JSON
  int checks_ = 0;
  bool spent_ = false;
  std::string_view pass_;
};

}  // namespace parallax
