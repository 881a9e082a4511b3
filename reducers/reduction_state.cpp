#include "reducers/reduction_state.h"

#include <utility>

#include "graph/case_json.h"

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
  return !take_first(1, [&](std::size_t) { return std::move(candidate); }).empty();
}

std::vector<std::size_t> Reduction::take_first(std::size_t count, const MakeCandidate& candidate) {
  std::vector<std::size_t> taken;
  for (std::size_t next = 0; next < count && taken.empty() && !spent_;) {
    std::vector<Case> asked;
    std::vector<std::size_t> places;
    for (; next < count && asked.size() < options_.together; ++next) {
      std::optional<Case> made = candidate(next);
      if (!made || !(size_of_case(*made) < best_size_)) continue;
      if (!seen_.insert(to_json(*made)).second) continue;
      if (ends_here()) break;
      ++checks_;
      asked.push_back(*std::move(made));
      places.push_back(next);
    }
    if (asked.empty()) continue;
    const std::vector<bool> interesting = ask(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!interesting[i]) continue;
      if (taken.empty()) {
        best_ = std::move(asked[i]);
        best_size_ = size_of_case(best_);
        values_known_ = false;
      }
      taken.push_back(places[i]);
    }
    if (options_.progress) options_.progress({pass_, checks_, seconds(), best_.graph.nodes.size()});
  }
  return taken;
}

bool Reduction::ends_here() {
  spent_ = spent_ || checks_ >= options_.max_checks ||
           (options_.seconds_spent ? options_.seconds_spent() : seconds()) >= options_.max_seconds ||
           (options_.interrupted && options_.interrupted());
  return spent_;
}

std::vector<bool> Reduction::ask(std::span<const Case> candidates) {
  if (options_.together > 1) return options_.interesting_together(candidates);
  std::vector<bool> answers;
  for (const Case& candidate : candidates) answers.push_back(interesting_(candidate));
  return answers;
}

double Reduction::seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

}  // namespace parallax
