#include "reducers/reduce.h"

#include <chrono>
#include <string>
#include <unordered_set>

#include "reducers/reduction_passes.h"
#include "reducers/size.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

class Reduction {
 public:
  Reduction(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
            const ReduceOptions& options)
      : interesting_(interesting),
        recorded_(recorded),
        options_(options),
        started_(Clock::now()),
        best_(test),
        best_size_(size_of_case(test)) {
    seen_.insert(to_json(best_));
  }

  ReduceResult run() {
    bool changed = true;
    while (changed && !spent_) {
      changed = false;
      for (const ReductionPass& pass : reduction_passes) changed = run_pass(pass) || changed;
    }
    return {std::move(best_), checks_, seconds(), !spent_};
  }

 private:
  // Tries a pass's candidates until a whole round of them failed. After a success the pass goes on where it was, so
  // that what failed before is not the first thing to be tried again.
  bool run_pass(const ReductionPass& pass) {
    bool changed = false;
    std::vector<Case> candidates = candidates_of(pass);
    std::size_t position = 0;
    std::size_t failures = 0;
    while (!spent_ && failures < candidates.size()) {
      if (position >= candidates.size()) position = 0;
      if (!accept(candidates[position])) {
        ++failures;
        ++position;
        continue;
      }
      changed = true;
      failures = 0;
      candidates = candidates_of(pass);
    }
    return changed;
  }

  std::vector<Case> candidates_of(const ReductionPass& pass) {
    return pass.candidates(best_, [this](const Case& test) { return remembered(test); });
  }

  // The recorded values of the best case: every pass asks for the same ones.
  std::optional<std::vector<Tensor>> remembered(const Case& test) {
    if (!values_known_) {
      values_ = recorded_(test);
      values_known_ = true;
    }
    return values_;
  }

  bool accept(Case& candidate) {
    const CaseSize size = size_of_case(candidate);
    if (!(size < best_size_)) return false;
    if (!seen_.insert(to_json(candidate)).second) return false;
    if (checks_ >= options_.max_checks || seconds() >= options_.max_seconds) {
      spent_ = true;
      return false;
    }
    ++checks_;
    if (!interesting_(candidate)) return false;
    best_ = std::move(candidate);
    best_size_ = size;
    values_known_ = false;
    return true;
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  const Interesting& interesting_;
  const RecordedValues& recorded_;
  const ReduceOptions& options_;
  Clock::time_point started_;
  Case best_;
  CaseSize best_size_;
  std::optional<std::vector<Tensor>> values_;
  bool values_known_ = false;
  std::unordered_set<std::string>
      seen_;  // cases that were checked, as JSON; the best one is the last that was interesting
  int checks_ = 0;
  bool spent_ = false;  // a limit was reached with work left
};

}  // namespace

ReduceResult reduce(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
                    const ReduceOptions& options) {
  return Reduction(test, interesting, recorded, options).run();
}

}  // namespace parallax
