#include "fuzz/findings/make_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "corpus/signature.h"
#include "fuzz/findings/configuration.h"
#include "fuzz/findings/controls.h"
#include "fuzz/findings/explain_finding.h"
#include "fuzz/findings/localise.h"
#include "fuzz/findings/repeats.h"
#include "fuzz/findings/target_crew.h"
#include "graph/second_feed.h"
#include "oracle/record.h"
#include "reducers/reduce.h"

namespace parallax {
namespace {

// Other divergences that one reduction hands back.
constexpr std::size_t most_slipped = 3;

// An error that was that many radii outside its bound may not shrink to fewer than this while it is reduced: what is at
// the edge of the bound is another matter.
constexpr double far_outside = 64;
constexpr double edge = 4;

// What of a divergence is the bug's own.
struct Look {
  std::string failure;  // its failure class
  std::string blame;    // the part that is to blame; empty where the target does not tell

  std::string text() const { return blame.empty() ? failure : fmt::format("{} | {}", failure, blame); }
};

struct Cause {
  std::string blame;
  std::string kind;
};

// The part that the first detector blames, and what those that see the same part say of its slip.
Cause cause_of(const std::vector<Diagnosis>& diagnoses) {
  Cause cause;
  for (const Diagnosis& diagnosis : diagnoses) {
    if (cause.blame.empty()) cause.blame = diagnosis.blame;
    if (cause.kind.empty() && !cause.blame.empty() && diagnosis.blame == cause.blame) cause.kind = diagnosis.kind;
  }
  return cause;
}

// Whether a case shows one divergence, asked of the target (and of its base) as often as it takes.
class Showing {
 public:
  Showing(Target& target, Target* base) : target_(target), base_(base) {}

  // What is looked for from now on: what `test` shows, `blame` being the part that the target names for it.
  void want(const Case& test, const Examination& shown, std::string blame) {
    wanted_ = {failure_of(test, shown), std::move(blame)};
    differs_by_run_ = shown.judgement.verdict == Verdict::Nondeterministic;
    must_stay_far_ = shown.judgement.divergence && shown.judgement.divergence->excess >= far_outside;
  }
  void set_tries(int tries) { tries_ = tries; }
  const Look& wanted() const { return wanted_; }

  // The first run that shows it, of as many as are tried, on the target or on a copy of it. Threads with copies of
  // their own may ask at the same time where there is no base.
  std::optional<Examination> examine_until_shown(Target& copy, const Case& test) {
    for (int i = 0; i < tries_; ++i) {
      if (auto shown = once(copy, test)) return shown;
    }
    return std::nullopt;
  }
  std::optional<Examination> examine_until_shown(const Case& test) { return examine_until_shown(target_, test); }
  bool shows_once(const Case& test) { return once(target_, test).has_value(); }

  std::vector<SlippedCase> take_slipped() {
    std::vector<SlippedCase> slipped;
    for (auto& [look, test] : slipped_) slipped.push_back({std::move(test), look});
    return slipped;
  }

 private:
  std::string failure_of(const Case& test, const Examination& seen) const {
    return failure_class(target_.name(), seen.judgement, seen.outcome, test.graph);
  }

  std::optional<Examination> once(Target& target, const Case& test) {
    Examination seen = examine(target, test);
    if (!is_finding(seen.judgement.verdict)) return std::nullopt;
    Look look{failure_of(test, seen), ""};
    // Of one part's slip, numbers that are wrong say more than numbers that differ from run to run.
    const bool firmer = differs_by_run_ && !wanted_.blame.empty() && seen.judgement.verdict == Verdict::Mismatch;
    const bool alike = firmer || look.failure == wanted_.failure;
    if (!alike && slipped_enough_) return std::nullopt;  // which part it is decides nothing any more
    look.blame = cause_of(target.explain(test)).blame;
    if (!alike || (!wanted_.blame.empty() && look.blame != wanted_.blame)) {
      // One part's slip may look in many ways; that of another part is another one.
      if (look.blame.empty() || look.blame != wanted_.blame) keep_slipped(look, test);
      return std::nullopt;
    }
    if (must_stay_far_ && seen.judgement.divergence && seen.judgement.divergence->excess < edge) return std::nullopt;
    if (!is_right_on_base(test)) return std::nullopt;
    return seen;
  }

  void keep_slipped(const Look& look, const Case& test) {
    if (slipped_enough_ || !is_right_on_base(test)) return;
    const std::lock_guard lock(slipped_mutex_);
    if (slipped_.size() < most_slipped) slipped_.emplace(look.text(), test);
    slipped_enough_ = slipped_.size() >= most_slipped;
  }

  bool is_right_on_base(const Case& test) {
    return base_ == nullptr || examine(*base_, test).judgement.verdict == Verdict::Match;
  }

  Target& target_;
  Target* base_;
  Look wanted_;
  bool must_stay_far_ = false;
  bool differs_by_run_ = false;
  int tries_ = 1;
  std::mutex slipped_mutex_;
  std::map<std::string, Case> slipped_;  // by look
  std::atomic<bool> slipped_enough_ = false;
};

// The case whose first run shows what `test` showed in its second alone: the feed of the second run, if a first run
// diverges on it. Nothing where only a second run does, as with state that outlives a run.
std::optional<std::pair<Case, Examination>> shown_at_once(Target& target, const Case& test, const Examination& seen) {
  if (!seen.judgement.divergence || seen.judgement.divergence->run.kind != RunKind::B) return std::nullopt;
  Case second = test;
  second.feed = second_feed(test);
  Examination examination = examine(target, second);
  const auto& divergence = examination.judgement.divergence;
  if (examination.judgement.verdict != seen.judgement.verdict || !divergence) return std::nullopt;
  if (divergence->run.kind != RunKind::A || divergence->kind != seen.judgement.divergence->kind) return std::nullopt;
  return std::pair(std::move(second), std::move(examination));
}

// The first stage of the target whose result is wrong; empty where the target does not tell.
std::string first_wrong_stage(Target& target, const Case& test) {
  const std::vector<StageVerdict> stages = examine_stages(target, test);
  for (const StageVerdict& stage : stages) {
    if (is_finding(stage.judgement.verdict)) return stage.name;
  }
  return stages.empty() ? "" : "after " + stages.back().name;
}

// Reduces the case that `showing` wants. False where what is left does not show it again: the case stays as it was
// found.
bool reduce_finding(TargetCrew& crew, Showing& showing, const Case& start, const FindingOptions& options,
                    double seconds_a_look, MadeFinding& made, Examination& shown) {
  ReduceOptions limits;
  limits.max_seconds = std::max(options.reduce_seconds, options.least_checks * seconds_a_look);
  limits.progress = options.progress;
  limits.interrupted = options.interrupted;
  limits.together = crew.size();
  limits.interesting_together = [&](std::span<const Case> candidates) {
    std::vector<char> shows(candidates.size(), false);  // of elements that threads may write to
    crew.look_at_each(candidates.size(), [&](Target& target, std::size_t place) {
      shows[place] = showing.examine_until_shown(target, candidates[place]).has_value();
    });
    return std::vector<bool>(shows.begin(), shows.end());
  };
  const Interesting interesting = [&](const Case& candidate) {
    return showing.examine_until_shown(candidate).has_value();
  };
  ReduceResult reduction = reduce(start, interesting, record_values, limits);
  made.checks = reduction.checks;
  made.reduce_seconds = reduction.seconds;
  std::optional<Examination> again = showing.examine_until_shown(reduction.reduced);
  if (!again) return false;
  made.finding.reduced = std::move(reduction.reduced);
  shown = *std::move(again);
  return true;
}

// How often the reduced case diverges, if somebody asked or if the original does not always.
std::optional<Repeats> repeats_of_reduced(Showing& showing, const Case& reduced, int asked, const Repeats& original) {
  const auto shows = [&] { return showing.shows_once(reduced); };
  if (asked > 0) return count_repeats(asked, shows);
  if (original.always()) return std::nullopt;
  return original.wrong == 0 ? original : count_repeats(most_repeats, shows);
}

// Sees the case again and reduces it, several candidates at a time where there is no base. How often the original
// diverges.
Repeats repeat_and_reduce(Target& target, Showing& showing, const FindingOptions& options, bool has_base,
                          MadeFinding& made, Examination& shown) {
  const Case& test = made.finding.original;
  const auto shows = [&] { return showing.shows_once(test); };
  // A hang costs its whole limit each time; nobody waits for four more.
  const bool slow = shown.judgement.verdict == Verdict::Hang;
  const auto started = std::chrono::steady_clock::now();
  const Repeats repeats = slow ? count_repeats(1, shows) : measure_repeats(shows);
  const std::chrono::duration<double> looked = std::chrono::steady_clock::now() - started;
  if (repeats.wrong == 0) return repeats;
  const Examination as_found = shown;
  const std::string blame = showing.wanted().blame;
  Case start = test;
  if (auto region = region_that_shows(target, test, as_found)) {
    start = std::move(region->test);
    showing.want(start, region->examination, cause_of(target.explain(start)).blame);
  }
  // A reduction that must keep an element right in the first run would keep the nodes that make it so.
  if (auto at_once = shown_at_once(target, start, as_found)) {
    start = std::move(at_once->first);
    showing.want(start, at_once->second, cause_of(target.explain(start)).blame);
  }
  showing.set_tries(tries_for(repeats));
  TargetCrew crew(target, options.target_options, has_base ? 1 : options.jobs);
  if (!reduce_finding(crew, showing, start, options, looked.count() / repeats.runs, made, shown)) {
    showing.want(test, as_found, blame);
  }
  made.slipped = showing.take_slipped();
  return repeats;
}

// What more runs of the target and of others tell of the reduced case.
void run_more(Target& target, const Showing& showing, const TargetOptions& options,
              const std::vector<Diagnosis>& diagnoses, Finding& finding) {
  finding.controls = run_controls(target, finding.reduced, options);
  finding.control = passing_control(finding.reduced, finding.controls);
  finding.configuration = least_configuration(finding.target, options, diagnoses, [&](Target& with_less) {
    const Examination seen = examine(with_less, finding.reduced);
    return failure_class(finding.target, seen.judgement, seen.outcome, finding.reduced.graph) ==
           showing.wanted().failure;
  });
  finding.artifacts = target.artifacts(finding.reduced);
}

}  // namespace

MadeFinding make_finding(Target& target, const Case& test, const Examination& examination,
                         const FindingOptions& options, Target* base) {
  MadeFinding made;
  Finding& finding = made.finding;
  finding.target = target.name();
  finding.original = test;
  finding.reduced = test;
  finding.seed = options.seed;
  finding.planted = options.target_options.faults;
  finding.versions = target.versions();
  Examination shown = examination;
  std::vector<Diagnosis> diagnoses = target.explain(test);
  Showing showing(target, base);
  showing.want(test, examination, cause_of(diagnoses).blame);
  const Repeats repeats =
      options.reduce ? repeat_and_reduce(target, showing, options, base != nullptr, made, shown) : Repeats{};
  finding.repeats = repeats_of_reduced(showing, finding.reduced, options.repeat, repeats);
  finding.verdict = shown.judgement.verdict;
  finding.reason = shown.judgement.reason;
  if (shown.outcome.status != Status::Ok) {
    finding.stage = shown.outcome.stage;
  } else if (options.controls) {
    finding.stage = first_wrong_stage(target, finding.reduced);
  }
  if (options.reduce) diagnoses = target.explain(finding.reduced);
  Cause cause = cause_of(diagnoses);
  finding.blame = std::move(cause.blame);
  finding.cause = std::move(cause.kind);
  finding.signature =
      signature(finding.target, shown.judgement, shown.outcome, finding.reduced.graph, finding.blame, finding.cause);
  if (options.controls) run_more(target, showing, options.target_options, diagnoses, finding);
  finding.explanation = explain_finding(made, shown, diagnoses);
  return made;
}

}  // namespace parallax
