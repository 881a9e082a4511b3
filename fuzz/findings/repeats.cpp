#include "fuzz/findings/repeats.h"

#include <algorithm>
#include <cmath>

namespace parallax {
namespace {

// What fires in one run of three passes for certain once in eighty times.
constexpr int first_repeats = 4;
constexpr double missed_share = 0.01;

}  // namespace

Examination examine_until_wrong(Target& target, const Case& test, int runs) {
  Examination seen = examine_anew(target, test);
  for (int i = 1; i < runs && !is_finding(seen.judgement.verdict); ++i) seen = examine_anew(target, test);
  return seen;
}

Repeats count_repeats(int runs, const std::function<bool()>& shows) {
  Repeats repeats;
  for (; repeats.runs < runs; ++repeats.runs) repeats.wrong += shows();
  return repeats;
}

Repeats measure_repeats(const std::function<bool()>& shows) {
  const Repeats first = count_repeats(first_repeats, shows);
  if (first.always()) return first;
  const Repeats rest = count_repeats(most_repeats - first.runs, shows);
  return {first.wrong + rest.wrong, first.runs + rest.runs};
}

int tries_for(const Repeats& repeats) {
  if (repeats.always()) return 1;
  if (repeats.wrong == 0) return most_repeats;
  const double quiet = 1 - static_cast<double>(repeats.wrong) / repeats.runs;
  return std::clamp(static_cast<int>(std::ceil(std::log(missed_share) / std::log(quiet))), 1, most_repeats);
}

}  // namespace parallax
