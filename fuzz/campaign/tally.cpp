#include "fuzz/campaign/tally.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "graph/runs.h"

namespace parallax {
namespace {

constexpr double buckets_per_octave = 4;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

SpentBesides& SpentBesides::operator+=(const SpentBesides& more) {
  drawing += more.drawing;
  related += more.related;
  findings += more.findings;
  return *this;
}

int64_t Tally::judged() const {
  return count(Verdict::Match) + count(Verdict::Mismatch) + count(Verdict::Suspect) + count(Verdict::Nondeterministic) +
         count(Verdict::Crash) + count(Verdict::Hang) + count(Verdict::InternalError) + count(Verdict::Audited);
}

void Tally::add(const Examination& examination, double spent_seconds) {
  const Judgement& judgement = examination.judgement;
  const Outcome& outcome = examination.outcome;
  ++cases;
  seconds += spent_seconds;
  ++verdicts[static_cast<std::size_t>(judgement.verdict)];
  if (outcome.status == Status::Ok && outcome.a) {
    ++executed;
    with_reused_slot += outcome.reused_slots > 0;
  }
  if (outcome.status == Status::Ok && outcome.fusable > 0) {
    fused += std::min(outcome.fused, outcome.fusable);
    left_in_floats += std::max(outcome.fusable - outcome.fused, 0);
  }
  if (outcome.delegated >= 0) ++(outcome.delegated > 0 ? delegated : fell_back);
  elements.add(judgement.counts);
  proof_bits.add(judgement.proof_bits);
  ensemble_bits.add(judgement.ensemble_bits);
  if (judgement.counts.undecided > 0) ++with_undecided;
  if (judgement.counts.weak > 0) ++undecided_cases["weak"];
  for (std::size_t i = 1; i < judgement.counts.by_reason.size(); ++i) {
    if (judgement.counts.by_reason[i] > 0) ++undecided_cases[std::string(name(static_cast<Undecided>(i)))];
  }
  if (judgement.verdict == Verdict::Unsupported || judgement.verdict == Verdict::Rejected ||
      judgement.verdict == Verdict::ReferenceRefused) {
    ++refusals[first_line(judgement.reason)];
  }
  for (const OutputRadii& output : judgement.radii) {
    for (const float ulps : output.ulps) {
      if (!(ulps > 0)) continue;
      const int bucket = static_cast<int>(std::floor(std::log2(ulps) * buckets_per_octave));
      ++radius_buckets_[bucket];
      if (output.family.empty()) continue;
      auto family = family_buckets_.find(output.family);
      if (family == family_buckets_.end()) family = family_buckets_.try_emplace(std::string(output.family)).first;
      ++family->second[bucket];
    }
  }
}

void Tally::add_calls(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    const auto found = calls.find(node.op->name);
    ++(found == calls.end() ? calls[std::string(node.op->name)] : found->second);
  }
}

void Tally::add_sizes(const Case& test, const Outcome& outcome) {
  if (test.symbols.empty() || outcome.status != Status::Ok || !outcome.a) return;
  std::set<SymbolSizes> sizes;
  for (std::size_t run = 0; run <= test.later.size(); ++run) sizes.insert(sizes_of_run(test, run));
  ++dynamic;
  at_three_sizes += sizes.size() >= 3;
  specialized += !outcome.specialized.empty();
  recompiled += outcome.recompiled > 0;
}

double Tally::median_radius_ulps() const { return median(radius_buckets_); }

std::vector<std::pair<std::string, double>> Tally::median_radius_by_family() const {
  std::vector<std::pair<std::string, double>> medians;
  for (const auto& [family, buckets] : family_buckets_) medians.emplace_back(family, median(buckets));
  return medians;
}

double Tally::median(const Buckets& buckets) {
  int64_t total = 0;
  for (auto [bucket, n] : buckets) total += n;
  int64_t seen = 0;
  for (auto [bucket, n] : buckets) {
    seen += n;
    if (2 * seen >= total) return std::exp2((bucket + 0.5) / buckets_per_octave);
  }
  return 0;
}

}  // namespace parallax
