#include "cli/score_tune.h"

#include <fmt/format.h>

#include <cmath>

#include "backends/open_target.h"
#include "cli/child_jobs.h"
#include "compiler/faults.h"
#include "fuzz/score/tune_weights.h"

namespace parallax {
namespace {

constexpr uint64_t graphs_of_a_candidate = 1500;
constexpr uint64_t graphs_of_the_end = 10000;

// Seconds of processor time to a fault's first finding.
Result<double> seconds_to_show(const std::string& id, const ScoreOptions& options, const GenerateWeights& weights,
                               uint64_t graphs) {
  TRY(const ShownShare share, shown_share(id, options, weights, graphs));
  return share.seconds / (static_cast<double>(share.shown) + 0.5);
}

struct WeightComparison {
  ScoreOptions options;
  uint64_t graphs = 0;
  int jobs = 1;
  std::vector<std::string> ids = {};
  std::vector<GenerateWeights> candidates = {};
};

// For each candidate the mean over the faults of the logarithm of the seconds until each shows: a fault that is hard to
// find counts no more than one that is easy. One that brings its process down counts alike for all.
Result<std::vector<double>> costs_of(const WeightComparison& comparison) {
  const std::size_t faults = comparison.ids.size();
  ChildJobs jobs;
  for (std::size_t c = 0; c < comparison.candidates.size(); ++c) {
    jobs.names.insert(jobs.names.end(), comparison.ids.begin(), comparison.ids.end());
  }
  jobs.work = [&](std::size_t place) -> Result<Json> {
    TRY(const double seconds, seconds_to_show(comparison.ids[place % faults], comparison.options,
                                              comparison.candidates[place / faults], comparison.graphs));
    return Json{{"seconds", seconds}};
  };
  jobs.at_once = comparison.jobs;
  jobs.seconds = 600;
  TRY(const std::vector<Json> replies, run_in_children(jobs));
  std::vector<double> costs(comparison.candidates.size(), 0);
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i].contains("seconds")) continue;
    costs[i / faults] += std::log(replies[i]["seconds"].get<double>()) / static_cast<double>(faults);
  }
  return costs;
}

}  // namespace

Result<int> tune_weights(int rounds, const ScoreOptions& options, int jobs) {
  WeightComparison odd{.options = options, .graphs = graphs_of_a_candidate, .jobs = jobs};
  WeightComparison even{.options = options, .graphs = graphs_of_the_end, .jobs = jobs};
  // What a process of its own costs is not seen, and a device takes most of the time that there is.
  for (const Fault* fault : all_faults) {
    if (runs_in_process(std::string(fault->target))) (is_held_out(fault->id) ? even : odd).ids.emplace_back(fault->id);
  }
  const GenerateWeights& start = weights_of(options.profile);
  // Other graphs in each round, so that none is learned by heart.
  const auto costs = [&](std::span<const GenerateWeights> candidates, int round) {
    odd.candidates.assign(candidates.begin(), candidates.end());
    odd.options.seed = options.seed + static_cast<uint64_t>(round);
    return costs_of(odd);
  };
  const auto tell = [](int round, double centre, double best) {
    fmt::print("round {}: {:.3f} s to a finding at the centre, {:.3f} s with the best candidate\n", round + 1,
               std::exp(centre), std::exp(best));
    std::fflush(stdout);
  };
  TRY(const GenerateWeights tuned, tune(start, {.rounds = rounds, .seed = options.seed}, costs, tell));
  fmt::print("{}", text_of(tuned));
  odd.graphs = graphs_of_the_end;
  odd.candidates = even.candidates = {start, tuned};
  odd.options.seed = even.options.seed = options.seed + static_cast<uint64_t>(rounds);
  for (const auto& [half, comparison] : {std::pair("tuned (odd ids)", &odd), std::pair("held out (even ids)", &even)}) {
    TRY(const std::vector<double> now, costs_of(*comparison));
    fmt::print("{}: {:.3f} s to a finding before, {:.3f} s after (geometric means over {} faults)\n", half,
               std::exp(now[0]), std::exp(now[1]), comparison->ids.size());
  }
  return 0;
}

}  // namespace parallax
