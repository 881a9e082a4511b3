#include "fuzz/findings/make_finding.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "corpus/signature.h"
#include "export/emit_reproducer.h"
#include "fuzz/findings/configuration.h"
#include "fuzz/findings/controls.h"
#include "fuzz/findings/explain_finding.h"
#include "fuzz/findings/fewest_switches.h"
#include "fuzz/findings/localise.h"
#include "fuzz/findings/needed_calls.h"
#include "fuzz/findings/numeric_evidence.h"
#include "fuzz/findings/onnx_script.h"
#include "fuzz/findings/repeats.h"
#include "fuzz/findings/sighting_of.h"
#include "fuzz/findings/target_crew.h"
#include "graph/case_json.h"
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

// The most time that a reduction waits, in budgets of processor time.
constexpr double waits_a_budget = 10;

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

// Processor time of this thread.
double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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
  bool shows_at_times() const { return tries_ > 1; }
  // Which calls of one program are looked at: the first, or, where it is right, the second.
  void set_calls(WrongCalls calls) { calls_ = calls; }
  // Processor time that looks took so far, here and in the target's own processes.
  double spent_seconds() const { return spent_; }
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

  // One look at a program that is built anew.
  Examination look(Target& target, const Case& test) {
    const double before = thread_seconds() + target.processor_seconds();
    Examination seen = examine_anew(target, test);
    if (calls_ == WrongCalls::LaterAlone && !is_finding(seen.judgement.verdict)) seen = examine(target, test);
    spent_ += std::max(0.0, thread_seconds() + target.processor_seconds() - before);
    return seen;
  }

  std::optional<Examination> once(Target& target, const Case& test) {
    Examination seen = look(target, test);
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
    return base_ == nullptr || examine_anew(*base_, test).judgement.verdict == Verdict::Match;
  }

  Target& target_;
  Target* base_;
  Look wanted_;
  bool must_stay_far_ = false;
  bool differs_by_run_ = false;
  int tries_ = 1;
  WrongCalls calls_ = WrongCalls::All;
  std::atomic<double> spent_ = 0;
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
  Examination examination = examine_anew(target, second);
  const auto& divergence = examination.judgement.divergence;
  if (examination.judgement.verdict != seen.judgement.verdict || !divergence) return std::nullopt;
  if (divergence->run.kind != RunKind::A || divergence->kind != seen.judgement.divergence->kind) return std::nullopt;
  return std::pair(std::move(second), std::move(examination));
}

// The first of a target's stages whose result is wrong; empty where the target does not tell.
std::string first_wrong_stage(const std::vector<StageVerdict>& stages) {
  for (const StageVerdict& stage : stages) {
    if (is_finding(stage.judgement.verdict)) return stage.name;
  }
  return stages.empty() ? "" : "after " + stages.back().name;
}

// What the cases that showed the divergence last did: the smallest is among them when a reduction ends.
class LastShown {
 public:
  void add(const Case& test, Examination seen) {
    const std::lock_guard lock(mutex_);
    if (shown_.size() >= most_kept) shown_.pop_front();
    shown_.emplace_back(to_json(test), std::move(seen));
  }
  std::optional<Examination> of(const Case& test) const {
    const auto found = std::ranges::find(shown_, to_json(test), &std::pair<std::string, Examination>::first);
    return found == shown_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static constexpr std::size_t most_kept = 8;
  std::mutex mutex_;
  std::deque<std::pair<std::string, Examination>> shown_;
};

// Reduces the case that `showing` wants. False where what is left does not show it again: the case stays as it was
// found. `seconds_a_look` is processor time.
bool reduce_finding(TargetCrew& crew, Showing& showing, const Case& start, const FindingOptions& options,
                    double seconds_a_look, MadeFinding& made, Examination& shown) {
  LastShown last;
  last.add(start, shown);
  const auto shows = [&](Target& target, const Case& candidate) {
    std::optional<Examination> seen = showing.examine_until_shown(target, candidate);
    if (seen) last.add(candidate, *std::move(seen));
    return seen.has_value();
  };
  const auto started = std::chrono::steady_clock::now();
  const double spent_before = showing.spent_seconds();
  ReduceOptions limits;
  limits.max_seconds = std::max(options.reduce_seconds, options.least_checks * seconds_a_look);
  limits.seconds_spent = [&] { return (showing.spent_seconds() - spent_before) / static_cast<double>(crew.size()); };
  limits.progress = options.progress;
  // Who only waits takes no processor time: a hang, a device.
  const double most_waited = waits_a_budget * limits.max_seconds;
  limits.interrupted = [&] {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - started;
    return waited.count() > most_waited || (options.interrupted && options.interrupted());
  };
  limits.together = crew.size();
  limits.interesting_together = [&](std::span<const Case> candidates) {
    std::vector<char> found(candidates.size(), false);  // of elements that threads may write to
    crew.look_at_each(candidates.size(),
                      [&](Target& target, std::size_t place) { found[place] = shows(target, candidates[place]); });
    return std::vector<bool>(found.begin(), found.end());
  };
  const Interesting interesting = [&](const Case& candidate) { return shows(crew.first(), candidate); };
  ReduceResult reduction = reduce(start, interesting, record_values, limits);
  made.checks = reduction.checks;
  made.reduce_seconds = reduction.seconds;
  // Nobody looks again after an interruption: what showed it last is what is kept.
  const bool interrupted = options.interrupted && options.interrupted();
  std::optional<Examination> again =
      interrupted ? last.of(reduction.reduced) : showing.examine_until_shown(reduction.reduced);
  // It was seen to show it, at a rate that may be less than the tries are made for.
  if (!again && showing.shows_at_times()) again = last.of(reduction.reduced);
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
  return original.wrong == 0 ? original : measure_repeats(shows);
}

// How often the case diverges on a program that is built anew; where it never does, on the later calls of one.
Repeats repeats_of_original(Target& target, Showing& showing, Verdict verdict, const std::function<bool()>& shows,
                            WrongCalls& calls) {
  // A hang costs its whole limit each time; nobody waits for four more.
  if (verdict == Verdict::Hang) return count_repeats(1, shows);
  const Repeats repeats = measure_repeats(shows);
  if (repeats.wrong > 0 || runs_in_process(target.name())) return repeats;
  showing.set_calls(WrongCalls::LaterAlone);
  const Repeats later = measure_repeats(shows);
  if (!later.always()) {
    showing.set_calls(WrongCalls::All);
    return repeats;
  }
  calls = WrongCalls::LaterAlone;
  return later;
}

// Sees the case again and reduces it, several candidates at a time where there is no base. How often the original
// diverges.
Repeats repeat_and_reduce(Target& target, Showing& showing, const FindingOptions& options, bool has_base,
                          MadeFinding& made, Examination& shown) {
  const Case& test = made.finding.original;
  const auto is_over = [&] { return options.interrupted && options.interrupted(); };
  const auto shows = [&] { return showing.shows_once(test); };
  if (is_over()) return {1, 1};  // as it was found
  const Repeats repeats =
      repeats_of_original(target, showing, shown.judgement.verdict, shows, made.finding.wrong_calls);
  if (repeats.wrong == 0) return is_over() ? Repeats{1, 1} : repeats;
  const double seconds_a_look = showing.spent_seconds() / repeats.runs;
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
    shown = at_once->second;
    showing.want(start, at_once->second, cause_of(target.explain(start)).blame);
  }
  showing.set_tries(tries_for(repeats));
  TargetCrew crew(target, options.target_options, has_base ? 1 : options.jobs);
  if (!reduce_finding(crew, showing, start, options, seconds_a_look, made, shown)) {
    shown = as_found;
    showing.want(test, as_found, blame);
  }
  made.slipped = showing.take_slipped();
  return repeats;
}

// Whether a second call of the program that diverged at its first one is right.
bool is_right_when_called_again(Target& target, const Case& test) {
  return is_finding(examine_anew(target, test).judgement.verdict) &&
         !is_finding(examine(target, test).judgement.verdict);
}

// What more runs of the target and of others tell of the reduced case.
void run_more(Target& target, const Showing& showing, const TargetOptions& options,
              const std::vector<Diagnosis>& diagnoses, Finding& finding) {
  finding.controls = run_controls(target, finding.reduced, options);
  finding.control = passing_control(finding.reduced, finding.controls);
  finding.configuration = least_configuration(finding.target, options, diagnoses, [&](Target& with_less) {
    const Examination seen = examine_anew(with_less, finding.reduced);
    return failure_class(finding.target, seen.judgement, seen.outcome, finding.reduced.graph) ==
           showing.wanted().failure;
  });
  finding.artifacts = target.artifacts(finding.reduced);
  if (why_no_script(finding.reduced, finding.target))
    finding.script = onnx_script(finding, options.given_up).value_or("");
}

// The target with the fewest switches under which the reduced case still diverges as it did, and what it does then;
// null where all of them are needed, or it is no configuration of `base`.
std::unique_ptr<Target> shown_with_fewest(const Target& target, const Target* base, const TargetOptions& options,
                                          const Case& test, const std::string& failure, Examination& shown) {
  if (base == nullptr) return nullptr;
  return with_fewest_switches(target.name(), base->name(), options, [&](Target& with_fewer) {
    Examination seen = examine_anew(with_fewer, test);
    const bool alike = is_finding(seen.judgement.verdict) &&
                       failure_class(target.name(), seen.judgement, seen.outcome, test.graph) == failure;
    if (alike) shown = std::move(seen);
    return alike;
  });
}

}  // namespace

MadeFinding make_finding(Target& found_on, const Case& test, const Examination& examination,
                         const FindingOptions& options, Target* base) {
  MadeFinding made;
  Finding& finding = made.finding;
  finding.original = test;
  finding.reduced = test;
  finding.seed = options.seed;
  finding.planted = options.target_options.faults;
  finding.versions = found_on.versions();
  Examination shown = examination;
  std::vector<Diagnosis> diagnoses = found_on.explain(test);
  Showing showing(found_on, base);
  showing.want(test, examination, cause_of(diagnoses).blame);
  const Repeats repeats =
      options.reduce ? repeat_and_reduce(found_on, showing, options, base != nullptr, made, shown) : Repeats{};
  const auto is_over = [&] { return options.interrupted && options.interrupted(); };
  const std::unique_ptr<Target> least =
      options.reduce && !is_over()
          ? shown_with_fewest(found_on, base, options.target_options, finding.reduced, showing.wanted().failure, shown)
          : nullptr;
  Target& target = least ? *least : found_on;
  finding.target = target.name();
  if (!is_over()) finding.repeats = repeats_of_reduced(showing, finding.reduced, options.repeat, repeats);
  finding.verdict = shown.judgement.verdict;
  finding.reason = shown.judgement.reason;
  if (options.controls && !is_over() && !runs_in_process(finding.target) && finding.verdict == Verdict::Mismatch &&
      repeats.always() && finding.wrong_calls == WrongCalls::All &&
      is_right_when_called_again(target, finding.reduced)) {
    finding.wrong_calls = WrongCalls::FirstAlone;
  }
  std::vector<StageVerdict> stages;
  if (shown.outcome.status != Status::Ok) {
    finding.stage = shown.outcome.stage;
  } else if (options.controls && !is_over()) {
    stages = examine_stages(target, finding.reduced);
    finding.stage = first_wrong_stage(stages);
  }
  if (options.reduce && !is_over()) diagnoses = target.explain(finding.reduced);
  if (options.controls) finding.sighting = sighting_of(target, finding.reduced, shown, stages, diagnoses);
  Cause cause = cause_of(diagnoses);
  finding.blame = std::move(cause.blame);
  finding.cause = std::move(cause.kind);
  finding.signature =
      signature(finding.target, shown.judgement, shown.outcome, finding.reduced.graph, finding.blame, finding.cause);
  finding.evidence = numeric_evidence(target.profile(), finding.reduced, shown);
  finding.grade = grade_of_finding(finding);
  if (options.controls && !is_over() && finding.wrong_calls == WrongCalls::All) {
    const int tries = finding.repeats ? tries_for(*finding.repeats) : 1;
    finding.wrong_call = needed_calls(finding.reduced, shown.judgement, [&](const Case& fewer) {
      bool wrong = false;
      for (int i = 0; i < tries && !wrong; ++i) {
        const Judgement seen = examine_anew(target, fewer).judgement;
        // The protocol calls a case of one run a second time.
        const bool at_once = !seen.divergence || seen.divergence->run.kind == RunKind::A;
        wrong = seen.verdict == finding.verdict && (at_once || !fewer.later.empty());
      }
      return wrong;
    });
  }
  if (options.controls && !is_over()) run_more(target, showing, options.target_options, diagnoses, finding);
  if (base && options.controls && !is_over() && !switches_beyond(finding.target, base->name()).empty()) {
    finding.controls.emplace_back("on " + base->name(), examine_anew(*base, finding.reduced).judgement.verdict);
  }
  finding.explanation = explain_finding(made, shown, diagnoses);
  return made;
}

}  // namespace parallax
