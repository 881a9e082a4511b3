#include "fuzz/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "corpus/signature.h"
#include "fuzz/adjudicate.h"
#include "fuzz/explain_finding.h"
#include "oracle/record.h"
#include "reducers/reduce.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How many findings that look alike before reduction are reduced: enough to tell causes apart, few enough to go on
// fuzzing.
constexpr int reductions_a_look = 6;

// One target's place in the sequence.
struct Lane {
  std::string name;
  bool in_process = false;
  std::unique_ptr<Target> shared;  // of a target outside the process: one worker, one thread at a time
  bool busy = false;
  bool finished = false;
  uint64_t next = 0;
  double time = 0;  // seconds spent, the running case excluded
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {}

  Result<CampaignResult> run() {
    for (const std::string& name : options_.targets) {
      Lane& lane = lanes_.emplace_back();
      lane.name = name;
      lane.in_process = runs_in_process(name);
      TRY(lane.shared, open_target(name, options_.target_options));
      result_.tallies[name];
    }
    if (options_.on_open) {
      std::vector<const Target*> targets;
      for (const Lane& lane : lanes_) targets.push_back(lane.shared.get());
      options_.on_open(targets);
    }
    if (options_.findings) {
      TRY(store_, FindingStore::open(*options_.findings));
    }
    start_ = Clock::now();
    std::vector<std::thread> threads;
    const int workers = std::max(1, options_.jobs);
    for (int i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    report_progress(true);
    result_.seconds = seconds_since(start_);
    std::stable_sort(
        result_.findings.begin(), result_.findings.end(),
        [](const CampaignFinding& a, const CampaignFinding& b) { return a.finding.index < b.finding.index; });
    if (failure_) return std::unexpected(*failure_);
    return std::move(result_);
  }

 private:
  // A thread's loop: serve the target that had the least time, until none is left.
  void work() {
    std::map<std::string, std::unique_ptr<Target>> own;  // this thread's instances of in-process targets
    while (const std::optional<Turn> turn = take_turn()) {
      Target* target = turn->lane->shared.get();
      if (turn->lane->in_process && options_.jobs > 1) {
        std::unique_ptr<Target>& mine = own[turn->lane->name];
        if (!mine) mine = *open_target(turn->lane->name, options_.target_options);
        target = mine.get();
      }
      serve(*turn->lane, *target, turn->index);
    }
  }

  struct Turn {
    Lane* lane = nullptr;
    uint64_t index = 0;
  };

  // The lane to serve next with its case number reserved, or nothing when the campaign is over.
  std::optional<Turn> take_turn() {
    std::unique_lock lock(mutex_);
    while (true) {
      if (failure_ || (options_.seconds && seconds_since(start_) >= *options_.seconds)) return std::nullopt;
      Lane* best = nullptr;
      bool waiting = false;
      for (Lane& lane : lanes_) {
        if (lane.finished) continue;
        if (lane.busy) {
          waiting = true;
        } else if (!best || lane.time < best->time) {
          best = &lane;
        }
      }
      if (best) {
        best->busy = !best->in_process;
        return Turn{best, best->next++};
      }
      if (!waiting) return std::nullopt;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
  }

  void serve(Lane& lane, Target& target, uint64_t k) {
    std::optional<Case> test = options_.source(k);
    if (!test) {
      std::lock_guard lock(mutex_);
      lane.finished = true;
      lane.busy = false;
      return;
    }
    const Clock::time_point begin = Clock::now();
    Examination examination = examine(target, *test);
    if (examination.judgement.verdict == Verdict::Suspect) {
      if (Adjudication adjudication = adjudicate(target, *test); adjudication.proof) {
        test = std::move(adjudication.proof->test);
        examination = std::move(adjudication.proof->examination);
      }
    }
    bool reduce_it = false;
    {
      std::lock_guard lock(mutex_);
      const double spent = seconds_since(begin);
      result_.tallies[lane.name].add(examination, spent);
      if (options_.on_case) options_.on_case(lane.name, k, *test, examination);
      if (is_finding(examination.judgement.verdict)) reduce_it = looks_new(lane.name, *test, examination);
    }
    if (reduce_it) keep(target, lane.name, k, *test, examination);
    std::lock_guard lock(mutex_);
    lane.time += seconds_since(begin);
    lane.busy = false;
    report_progress(false);
  }

  bool looks_new(const std::string& target, const Case& test, const Examination& examination) {
    return looks_[failure_class(target, examination.judgement, examination.outcome, test.graph)]++ < reductions_a_look;
  }

  void keep(Target& target, const std::string& name, uint64_t k, const Case& test, const Examination& examination) {
    CampaignFinding found = make_finding(target, test, examination, options_);
    found.finding.target = name;
    found.finding.index = k;
    std::lock_guard lock(mutex_);
    if (!signatures_.insert(found.finding.signature).second) return;
    if (store_) {
      if (Result<std::filesystem::path> folder = store_->add(found.finding)) {
        found.folder = *std::move(folder);
      } else {
        failure_ = folder.error();
      }
    }
    result_.findings.push_back(std::move(found));
  }

  void report_progress(bool last) {
    if (!options_.on_progress) return;
    const double now = seconds_since(start_);
    if (!last && now < next_progress_) return;
    next_progress_ = now + 0.5;
    options_.on_progress(result_.tallies, result_.findings.size(), now);
  }

  const CampaignOptions& options_;
  std::mutex mutex_;
  std::vector<Lane> lanes_;
  std::optional<FindingStore> store_;
  std::map<std::string, int> looks_;  // findings by failure class: what they look like before reduction
  std::set<std::string> signatures_;
  std::optional<Error> failure_;
  CampaignResult result_;
  Clock::time_point start_;
  double next_progress_ = 0;
};

}  // namespace

Result<CampaignResult> run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

namespace {

// The case whose first run shows what `test` showed in its second alone: the feed of the second run, if a first run
// diverges on it. Nothing where only a second run does, as with state that outlives a run.
std::optional<std::pair<Case, Examination>> shown_at_once(Target& target, const Case& test, const Examination& seen) {
  if (!seen.judgement.divergence || seen.judgement.divergence->run != "B") return std::nullopt;
  Case second = test;
  second.feed = second_feed(test);
  Examination examination = examine(target, second);
  const auto& divergence = examination.judgement.divergence;
  if (examination.judgement.verdict != seen.judgement.verdict || !divergence) return std::nullopt;
  if (divergence->run != "A" || divergence->kind != seen.judgement.divergence->kind) return std::nullopt;
  return std::pair(std::move(second), std::move(examination));
}

}  // namespace

CampaignFinding make_finding(Target& target, const Case& test, const Examination& examination,
                             const CampaignOptions& options) {
  CampaignFinding found;
  Finding& finding = found.finding;
  finding.target = target.name();
  finding.original = test;
  finding.reduced = test;
  finding.seed = options.seed;
  finding.planted = options.target_options.faults;
  finding.versions = target.versions();
  Examination shown = examination;
  if (options.reduce) {
    // A reduction that must keep an element right in the first run would keep the nodes that make it so.
    Case start = test;
    if (auto at_once = shown_at_once(target, test, examination)) std::tie(start, shown) = *std::move(at_once);
    const auto look = [&](const Case& candidate, const Examination& at) {
      return failure_class(finding.target, at.judgement, at.outcome, candidate.graph);
    };
    const std::string wanted = look(start, shown);
    const Interesting interesting = [&](const Case& candidate) {
      return look(candidate, examine(target, candidate)) == wanted;
    };
    ReduceOptions limits;
    limits.max_seconds = options.reduce_seconds;
    ReduceResult reduction = reduce(start, interesting, record_values, limits);
    found.checks = reduction.checks;
    found.reduce_seconds = reduction.seconds;
    shown = examine(target, reduction.reduced);
    if (look(reduction.reduced, shown) == wanted) {
      finding.reduced = std::move(reduction.reduced);
    } else {
      shown = examination;  // a divergence that comes and goes keeps the form it was found in
    }
  }
  finding.verdict = shown.judgement.verdict;
  found.reason = shown.judgement.reason;
  finding.signature = signature(finding.target, shown.judgement, shown.outcome, finding.reduced.graph);
  const std::vector<Diagnosis> diagnoses = target.explain(finding.reduced);
  const auto blaming = std::ranges::find_if(diagnoses, [](const Diagnosis& seen) { return !seen.blame.empty(); });
  if (blaming != diagnoses.end()) finding.blame = blaming->blame;
  finding.explanation = explain_finding(target, found, shown, diagnoses);
  return found;
}

}  // namespace parallax
