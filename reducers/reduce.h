// Reduce: makes a case smaller while it stays interesting.
//
// The reducer sees a predicate, a source of recorded values, and nothing else: it knows no target, no verdict and no
// oracle. Every candidate is rebuilt through GraphBuilder, so shapes are re-inferred and an invalid candidate is simply
// not one.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/case.h"

namespace parallax {

// True if the candidate still shows the same thing: the finding's signature is kept.
using Interesting = std::function<bool(const Case& candidate)>;
// What each value of a case's graph held right after it was computed in run A (the centre), or nothing where it cannot
// run.
using RecordedValues = std::function<std::optional<std::vector<Tensor>>(const Case& test)>;

// The same of several candidates, in their order, where asking together costs less than one after the other.
using InterestingTogether = std::function<std::vector<bool>(std::span<const Case> candidates)>;

struct ReduceProgress {
  std::string_view pass;
  int checks = 0;
  double seconds = 0;
  std::size_t nodes = 0;  // of the smallest case so far
};

struct ReduceOptions {
  int max_checks = 2000;  // candidates that were asked about, cached answers not counted
  double max_seconds = 60;
  // Seconds that count, where they are not those on the wall: a busy machine is no reason to end early.
  std::function<double()> seconds_spent = nullptr;
  // How many candidates are asked about together, those included that would be needless if one before them succeeds.
  // Where it is more than one, `interesting_together` is what is asked.
  std::size_t together = 1;
  InterestingTogether interesting_together = nullptr;
  std::function<void(const ReduceProgress& progress)> progress = nullptr;  // told after each answer
  std::function<bool()> interrupted = nullptr;  // asked before each question: true ends with the best so far
};

struct ReduceResult {
  Case reduced;
  int checks = 0;
  double seconds = 0;
  bool finished = false;  // a fixed point was reached inside the limits
};

class Reduction;

// One smaller case, and what was done to get it: the same words for the same edit of another case, so that edits that
// succeed apart can be made together.
struct Edit {
  std::string what;
  Case result;
};

// One way to make a case smaller: a list of candidates, the most daring first, or a search that decides what to try by
// what it found. Candidates need not be interesting; those that are not smaller under size_of_case are never taken, so
// reduction ends.
struct ReductionPass {
  std::string_view name;
  std::vector<Edit> (*candidates)(const Case& test, const RecordedValues& recorded) = nullptr;
  void (*run)(Reduction& reduction) = nullptr;
};

// Runs the passes of reducers/reduction_passes.h to a fixed point. `test` itself must be interesting.
ReduceResult reduce(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
                    const ReduceOptions& options = {});

}  // namespace parallax
