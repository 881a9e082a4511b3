// Proof and ensemble side by side: whether the ensemble accuses what the proof does not exclude, of a target that is
// right.
//
// Every graph that is drawn runs in process on `portable` and is judged by the proof, and then by the ensemble, whether
// the proof leaves something open or not: 8 members, and more where these accuse (oracle/ensemble.h). A campaign asks
// the ensemble only where the proof is weak. What only the ensemble calls wrong is a false alarm.
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "backends/open_target.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "graph/second_feed.h"
#include "oracle/ensemble.h"
#include "oracle/judge.h"

namespace parallax {
namespace {

struct Tally {
  uint64_t judged = 0;
  uint64_t refused = 0;  // by the reference, or members that raise
  uint64_t proved = 0;   // mismatches by proof
  uint64_t statistical = 0;
  int64_t elements = 0;   // of the graphs that are judged by both …
  int64_t undecided = 0;  // … and of those, the ones that neither decides

  void print(uint64_t drawn) const {
    fmt::print(
        "{} graphs: {} judged by both, {} refused, {} mismatches by proof, {} statistical; {} of {} elements "
        "undecided\n",
        drawn, judged, refused, proved, statistical, undecided, elements);
    std::fflush(stdout);
  }
};

// By the proof alone, and then with the ensemble.
void judge_by_both(Target& target, const Case& test, uint64_t k, Tally& tally) {
  Result<ExpectedRuns> expected = expected_runs(target.profile(), test);
  if (!expected) {
    ++tally.refused;
    return;
  }
  const std::vector<Tensor> second = second_feed(test);
  const Outcome outcome = target.run(test, expected->b ? &second : nullptr);
  if (outcome.status != Status::Ok) {
    ++tally.refused;
    return;
  }
  Judgement judgement;
  for (const int members : looks_at(test.graph)) {
    if (!add_spreads(target.profile(), test, members, *expected)) {
      ++tally.refused;
      return;
    }
    judgement = judge(test, *expected, outcome, target.promises_identity());
    if (!judgement.divergence || !judgement.divergence->statistical()) break;
  }
  ++tally.judged;
  tally.elements += judgement.counts.total;
  tally.undecided += judgement.counts.undecided;
  if (judgement.verdict != Verdict::Mismatch) return;
  const bool statistical = judgement.divergence->statistical();
  ++(statistical ? tally.statistical : tally.proved);
  fmt::print("graph {}: {}\n{}\n", k, judgement.reason, to_json(test, 1));
}

// Arguments: graphs (default 1,000), the seed (1), and the first graph (0) of those of the seed.
int run(int count, char** arguments) {
  const auto argument = [&](int i, uint64_t otherwise) {
    return count > i ? std::strtoull(arguments[i], nullptr, 10) : otherwise;
  };
  const uint64_t graphs = argument(1, 1000), seed = argument(2, 1), first = argument(3, 0);
  const auto target = open_target("portable", {});
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().text());
    return 3;
  }
  const Vocabulary words = Vocabulary::taken_by({target->get()});
  Tally tally;
  for (uint64_t k = first; k < first + graphs; ++k) {
    Choices choices(seed, k);
    const GenerateOptions options{.profile = GenerateProfile::All, .words = &words};
    judge_by_both(**target, generate(choices, options), k, tally);
    if ((k - first + 1) % 10000 == 0) tally.print(k - first + 1);
  }
  tally.print(graphs);
  return tally.statistical == 0 ? 0 : 1;
}

}  // namespace
}  // namespace parallax

int main(int count, char** arguments) { return parallax::run(count, arguments); }
