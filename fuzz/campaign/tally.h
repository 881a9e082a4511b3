// Tally: what a campaign or a replay counts for one target.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/examine.h"

namespace parallax {

// Seconds that a target's turns took beside the running and judging of its cases.
struct SpentBesides {
  double drawing = 0;   // the cases
  double related = 0;   // running and judging their neighbours
  double findings = 0;  // looking closer at what diverges: reduction, explanation, controls, jury

  SpentBesides& operator+=(const SpentBesides& more);
  bool operator==(const SpentBesides&) const = default;
};

struct Tally {
  std::array<int64_t, verdict_count> verdicts{};
  int64_t cases = 0;
  int64_t delegated = 0;          // cases of which a delegate ran at least one node
  int64_t fell_back = 0;          // cases of a delegating target with nothing delegated
  int64_t fused = 0;              // quantized calls that were fused, in cases that ran
  int64_t left_in_floats = 0;     // and those that were not
  int64_t executed = 0;           // the target ran it to the end
  int64_t with_undecided = 0;     // cases with at least one undecided element
  int64_t hidden_by_packing = 0;  // cases that diverge alone and did not in a pack
  int64_t base_diverges = 0;      // cases that diverge, and on the base too
  int64_t base_is_silent = 0;     // cases that diverge, and of which the base does not say what is right
  int64_t related = 0;            // neighbours of cases that ran after them, and are not among the cases
  int64_t dynamic = 0;            // cases with symbols that ran to the end
  int64_t at_three_sizes = 0;     // of these, those that ran at three sizes or more
  int64_t specialized = 0;        // of these, those of which the target took a symbol for a number
  int64_t recompiled = 0;         // of these, those that the target compiled again for a size
  int64_t with_reused_slot = 0;   // the memory plan put two storages into the same bytes
  ElementCounts elements;
  ShownBits proof_bits, ensemble_bits;  // of the elements that are floats, and of those where an ensemble ran
  std::map<std::string, int64_t> undecided_cases;     // by reason: cases that hold such an element
  std::map<std::string, int64_t> refusals;            // unsupported and rejected, by first line of the reason
  std::map<std::string, int64_t, std::less<>> calls;  // of each op, in the cases
  double seconds = 0;                                 // of running and judging the cases, of all threads together
  SpentBesides spent;

  int64_t count(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
  // Cases of which something could be said: judged over all that were made.
  int64_t judged() const;
  void add(const Examination& examination, double spent_seconds);
  void add_calls(const Graph& graph);
  // Counts what became of the sizes of a case with symbols.
  void add_sizes(const Case& test, const Outcome& outcome);
  // The median radius of decided inexact output elements, in ulps of the dtype; 0 where there was none.
  double median_radius_ulps() const;
  // The same by the family of the op that made the output, for those that have some.
  std::vector<std::pair<std::string, double>> median_radius_by_family() const;

  // All of it as text and back, for what goes on another time (tally_json.cpp). The error says what is missing.
  std::string to_json() const;
  static Result<Tally> from_json(const std::string& text);
  bool operator==(const Tally&) const = default;

 private:
  // The radii seen, in buckets of a quarter power of two: exact to 19 %, and small whatever the campaign's length.
  using Buckets = std::map<int, int64_t>;
  static double median(const Buckets& buckets);

  Buckets radius_buckets_;
  std::map<std::string, Buckets, std::less<>> family_buckets_;
};

}  // namespace parallax
