#include "fuzz/findings/repeats.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace parallax {
namespace {

// What fires in one run of three passes for certain once in eighty times.
constexpr int first_repeats = 4;
constexpr double missed_share = 0.01;
constexpr int enough_wrong = 3;  // of what fires rarely

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

Repeats measure_repeats(const std::function<bool()>& shows, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const Repeats first = count_repeats(first_repeats, shows);
  if (first.always()) return first;
  const Repeats rest = count_repeats(most_repeats - first.runs, shows);
  Repeats all = {first.wrong + rest.wrong, first.runs + rest.runs};
  if (all.wrong > 0) return all;
  const auto waited = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  for (; all.runs < rarest_repeats && all.wrong < enough_wrong && waited() < seconds; ++all.runs) all.wrong += shows();
  return all;
}

int tries_for(const Repeats& repeats) {
  if (repeats.always()) return 1;
  if (repeats.wrong == 0) return rarest_repeats;
  // Few wrong runs tell a rate by a factor of two at best.
  const double cautious = repeats.wrong <= enough_wrong ? 0.5 : 1;
  const double quiet = 1 - cautious * repeats.wrong / repeats.runs;
  return std::clamp(static_cast<int>(std::ceil(std::log(missed_share) / std::log(quiet))), 1, rarest_repeats);
}

}  // namespace parallax
