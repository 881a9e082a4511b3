#include "fuzz/score/score.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "backends/open_target.h"
#include "compiler/faults.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/generate/guided_tapes.h"
#include "fuzz/generate/weights.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

// A target with something planted, and what graphs for it are drawn from.
struct PlantedTarget {
  std::unique_ptr<Target> target;
  Vocabulary words;
};

Result<PlantedTarget> open_planted(const TargetOptions& options) {
  TRY(const FaultSet faults, FaultSet::of(options.faults));
  TRY(std::unique_ptr<Target> target, open_target(std::string(faults.target()), options));
  Vocabulary words = Vocabulary::taken_by({target.get()});
  return PlantedTarget{std::move(target), std::move(words)};
}

// By these weights; without any by the profile's own.
Case draw(Choices& choices, const ScoreOptions& options, const Vocabulary& words, const GenerateWeights* weights) {
  GenerateOptions generate_options;
  generate_options.profile = options.profile;
  generate_options.weights = weights;
  generate_options.words = &words;
  return generate(choices, generate_options);
}

// Runs graphs of the sequence until `shows` one; generating counts, since a user waits for it too.
template <class Shows>
Detection first_detection(const ScoreOptions& options, const Vocabulary& words, double seconds, Shows&& shows) {
  Detection detection;
  GuidedTapes tapes(options.seed, [&](Choices& choices) { return draw(choices, options, words, nullptr); });
  const Clock::time_point start = Clock::now();
  while (!detection.found && detection.seconds < seconds && detection.graphs < options.graphs.value_or(UINT64_MAX)) {
    Choices choices(options.seed, detection.graphs++);
    detection.found = shows(options.feedback ? tapes.next() : draw(choices, options, words, nullptr));
    detection.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return detection;
}

bool breaks(const FaultSet& faults, std::string_view part) {
  const std::vector<std::string_view> broken = faults.broken_parts();
  return std::ranges::find(broken, part) != broken.end();
}

}  // namespace

bool is_held_out(std::string_view id) { return !id.empty() && (id.back() - '0') % 2 == 0; }

Result<ShownShare> shown_share(const std::string& id, const ScoreOptions& options, const GenerateWeights& weights,
                               uint64_t graphs) {
  TRY(const PlantedTarget planted, open_planted({.faults = {id}}));
  ShownShare share{.graphs = graphs};
  const std::clock_t start = std::clock();
  for (uint64_t k = 0; k < graphs; ++k) {
    Choices choices(options.seed, k);
    const Case test = draw(choices, options, planted.words, &weights);
    share.shown += is_finding(examine(*planted.target, test).judgement.verdict);
  }
  share.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return share;
}

Result<FaultScore> score_fault(const std::string& id, const ScoreOptions& options) {
  FaultScore score;
  score.id = id;
  FindingOptions finding_options;
  finding_options.target_options.faults = {id};
  finding_options.seed = options.seed;
  finding_options.reduce_seconds = options.reduce_seconds;
  TRY(const FaultSet faults, FaultSet::of(finding_options.target_options.faults));
  TRY(const PlantedTarget planted, open_planted(finding_options.target_options));
  const auto& [target, words] = planted;
  std::optional<std::pair<Case, Examination>> shown;
  score.values = first_detection(options, words, options.seconds, [&](const Case& test) {
    Examination examination = examine(*target, test);
    if (!is_finding(examination.judgement.verdict)) return false;
    shown.emplace(test, std::move(examination));
    return true;
  });
  if (shown) {
    const Finding finding = make_finding(*target, shown->first, shown->second, finding_options).finding;
    score.verdict = name(finding.verdict);
    score.nodes = finding.reduced.graph.nodes.size();
    score.blame = finding.blame;
    score.blame_is_right = breaks(faults, finding.blame);
  }
  for (std::size_t d = 0; d < optional_detectors.size() && !options.feedback; ++d) {
    TargetOptions asked = finding_options.target_options;
    asked.detect = {optional_detectors[d]};
    TRY(const std::unique_ptr<Target> detecting, open_target(std::string(faults.target()), asked));
    // A case that the target cannot run says nothing of the detector.
    score.others[d] = first_detection(options, words, options.seconds / 4, [&](const Case& test) {
      return detecting->run(test, nullptr).raised_by == optional_detectors[d];
    });
  }
  return score;
}

std::vector<std::string> draw_mutants(std::size_t count, uint64_t seed) {
  std::vector<std::string> drawn;
  Choices choices(seed, 0);
  for (std::size_t i = 0; i < all_mutants.size() && drawn.size() < count; ++i) {
    const std::size_t left = all_mutants.size() - i;
    if (choices.below(left) < count - drawn.size()) drawn.emplace_back(all_mutants[i].id);
  }
  return drawn;
}

}  // namespace parallax
