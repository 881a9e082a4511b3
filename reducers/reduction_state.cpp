#include "reducers/reduction_state.h"

#include <utility>

namespace parallax {

using Clock = std::chrono::steady_clock;

Reduction::Reduction(const Case& test, const Interesting& interesting, const RecordedValues& recorded,
                     const ReduceOptions& options)
    : interesting_(interesting),
      recorded_(recorded),
      options_(options),
      started_(Clock::now()),
      best_(test),
      best_size_(size_of_case(test)) {
  seen_.insert(to_json(best_));
}

const std::vector<Tensor>* Reduction::values() {
  if (!values_known_) {
    values_ = recorded_(best_);
    values_known_ = true;
  }
  return values_ ? &*values_ : nullptr;
}

bool Reduction::take(std::optional<Case> candidate) {
  if (!candidate || spent_) return false;
  const CaseSize size = size_of_case(*candidate);
  if (!(size < best_size_)) return false;
  if (!seen_.insert(to_json(*candidate)).second) return false;
  if (checks_ >= options_.max_checks || seconds() >= options_.max_seconds) {
    spent_ = true;
    return false;
  }
  ++checks_;
  if (!interesting_(*candidate)) return false;
  best_ = *std::move(candidate);
  best_size_ = size;
  values_known_ = false;
  return true;
}

double Reduction::seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

}  // namespace parallax
