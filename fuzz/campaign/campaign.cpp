#include "fuzz/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "backends/given_up.h"
#include "backends/lost_target.h"
#include "core/choices.h"
#include "corpus/signature.h"
#include "corpus/store.h"
#include "fuzz/campaign/description.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/opening.h"
#include "fuzz/campaign/pack.h"
#include "fuzz/campaign/turns.h"
#include "fuzz/findings/adjudicate.h"
#include "fuzz/findings/jury.h"
#include "fuzz/findings/make_finding.h"
#include "fuzz/findings/neighbours.h"
#include "fuzz/findings/target_crew.h"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// How many findings that look alike before reduction are reduced: enough to tell causes apart, few enough to go on
// fuzzing.
constexpr std::size_t reductions_a_look = 6;

// How often progress is shown and written down.
constexpr double seconds_a_save = 0.5;

// One case in that many of a target that packs runs alone too: packing may hide what a case shows.
constexpr uint64_t alone_too = 20;

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options), target_options_(options.target_options) {
    target_options_.given_up = [this] { return is_over() || is_late(); };
  }

  Result<CampaignResult> run() {
    start_ = Clock::now();
    begun_ = true;
    TRY_VOID(open_all());
    if (options_.findings) {
      TRY(store_, FindingStore::open(*options_.findings));
    }
    if (options_.callbacks.on_open) {
      std::vector<const Target*> targets;
      for (const Lane& lane : turns_.lanes) targets.push_back(lane.ready.front().target.get());
      TRY_VOID(options_.callbacks.on_open(targets));
    }
    TRY_VOID(go_on());
    std::vector<std::thread> threads;
    const int workers = std::max(1, options_.jobs);
    for (int i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    report_progress(true);
    result_.interrupted = is_interrupted();
    if (!failure_) save(!result_.interrupted);
    result_.seconds = seconds();
    for (Lane& lane : turns_.lanes) result_.tallies[lane.name] = std::move(lane.state.tally);
    std::stable_sort(
        result_.findings.begin(), result_.findings.end(),
        [](const CampaignFinding& a, const CampaignFinding& b) { return a.finding.index < b.finding.index; });
    if (failure_) return std::unexpected(*failure_);
    return std::move(result_);
  }

 private:
  // Seconds since the campaign began, in this process or in earlier ones.
  double seconds() const { return seconds_before_ + seconds_since(start_); }

  bool is_interrupted() const { return options_.interrupted && options_.interrupted(); }
  // Nothing new is begun any more, and nobody waits for what was.
  bool is_over() const { return is_interrupted() || (begun_ && options_.seconds && seconds() >= *options_.seconds); }

  // Whether a target that is still being started is not waited for any more: half of the time that was left when the
  // first one was there is over, and the rest is for cases; or another one is misnamed and nothing will run.
  bool is_late() const {
    const bool is_past_half = options_.seconds && first_open_ >= 0 && seconds() >= seconds_to_start();
    return opening_ && (misnamed_ || is_past_half);
  }
  double seconds_to_start() const { return (first_open_ + *options_.seconds) / 2; }

  // Opens the targets. Those that cannot be driven here, or do not start in time, are done without.
  Result<void> open_all() {
    opening_ = true;
    std::vector<OpenedTarget> opened = open_side_by_side(
        options_.targets, options_.jobs, [this](const std::string& name) { return open_in_time(name); },
        options_.callbacks.on_opening);
    opening_ = false;
    for (const OpenedTarget& one : opened) {
      if (!one.instance && one.instance.error().kind != ErrorKind::NoTarget)
        return std::unexpected(one.instance.error());
    }
    for (OpenedTarget& one : opened) {
      if (!one.instance) {
        result_.missing.push_back({one.name, std::move(one.instance).error()});
        continue;
      }
      Lane& lane = turns_.lanes.emplace_back();
      lane.name = one.name;
      lane.ready.push_back(*std::move(one.instance));
      lane.most_busy = crew_size(one.name, options_.jobs);
      if (options_.pack) lane.cases_a_program = static_cast<std::size_t>(lane.ready.front().target->cases_a_program());
      lane.cases_a_turn = std::max(options_.cases_a_turn, lane.cases_a_program);
    }
    // The last one is the error where nothing is left to drive.
    std::vector<Error> reasons = reasons_of(result_.missing);
    std::optional<Error> last;
    if (turns_.lanes.empty() && !reasons.empty()) {
      last = std::move(reasons.back());
      reasons.pop_back();
    }
    for (const Error& reason : reasons) {
      if (options_.callbacks.on_missing) options_.callbacks.on_missing(reason);
    }
    if (last) return std::unexpected(*std::move(last));
    return {};
  }

  Result<Instance> open_in_time(const std::string& name) {
    Result<Instance> instance = open(name);
    if (instance) {
      double nobody = -1;
      first_open_.compare_exchange_strong(nobody, seconds());
    } else if (instance.error().kind != ErrorKind::NoTarget) {
      misnamed_ = true;
    } else if ((is_late() || is_over()) && !is_interrupted()) {
      const double limit = is_late() ? seconds_to_start() : seconds();
      instance = std::unexpected(
          Error{ErrorKind::NoTarget, "", "",
                fmt::format("did not start within {:g} s; give more time with --seconds", std::floor(limit))});
    }
    return instance;
  }

  Result<Instance> open(const std::string& name) const {
    Instance instance;
    TRY(instance.target, open_target(name, target_options_));
    const auto configured = options_.defaults.find(name);
    const std::string& base = configured == options_.defaults.end() ? options_.base : configured->second;
    if (!base.empty()) {
      TRY(instance.base, open_target(base, {}));
    }
    return instance;
  }

  // Takes up what an earlier process left of this campaign.
  Result<void> go_on() {
    if (!store_ || options_.cases.empty()) return {};
    const std::string description = describe(options_);
    TRY(ledger_, Ledger::open(*options_.findings, description, options_.fresh));
    TRY(std::optional<CampaignState> state, ledger_->unfinished(options_.known, options_.source));
    if (!state) {
      TRY(const int64_t others, ledger_->unfinished_others(description));
      if (others > 0 && options_.callbacks.on_other_campaigns) options_.callbacks.on_other_campaigns(others);
      return {};
    }
    int64_t cases = 0;
    for (Lane& lane : turns_.lanes) {
      if (const auto found = state->lanes.find(lane.name); found != state->lanes.end()) {
        lane.state = std::move(found->second);
      }
      lane.next = lane.state.next;
      cases += lane.state.tally.cases;
    }
    seconds_before_ = state->seconds;
    looks_ = std::move(state->looks);
    for (CampaignFinding& found : state->findings) {
      if (!found.known) signatures_.insert(found.finding.signature);
    }
    result_.findings = std::move(state->findings);
    if (options_.callbacks.restore_more) TRY_VOID(options_.callbacks.restore_more(state->more));
    if (options_.callbacks.on_resume) options_.callbacks.on_resume(cases);
    return {};
  }

  // Writes down how far the campaign is; under the lock, or when nobody else is at work.
  void save(bool finished) {
    if (!ledger_) return;
    CampaignState state;
    state.seconds = seconds();
    for (const Lane& lane : turns_.lanes) state.lanes[lane.name] = lane.state;
    state.looks = looks_;
    state.findings = result_.findings;
    if (options_.callbacks.save_more) state.more = options_.callbacks.save_more();
    if (auto saved = ledger_->save(state, finished); !saved) failure_ = std::move(saved).error();
    next_save_ = seconds() + seconds_a_save;
  }

  // A thread's loop: serve the target that had the least time, until none is left.
  void work() {
    while (std::optional<Turn> turn = take_turn()) {
      if (!turn->instance.target) {
        auto opened = open(turn->lane->name);
        if (!opened) {  // there is no room for one more: go on with those that are open
          std::lock_guard lock(mutex_);
          turn->lane->most_busy = std::max(1, turn->lane->most_busy - 1);
          turns_.give_up(*turn);
          continue;
        }
        turn->instance = *std::move(opened);
      }
      serve(*turn->lane, turn->instance, turn->first);
      std::lock_guard lock(mutex_);
      turns_.finish(*std::move(turn));
    }
  }

  // The turn to serve next, or nothing when the campaign is over.
  std::optional<Turn> take_turn() {
    std::unique_lock lock(mutex_);
    while (!failure_ && !is_over()) {
      if (auto turn = turns_.take(seconds())) return turn;
      if (!turns_.are_to_come()) return std::nullopt;
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      lock.lock();
    }
    return std::nullopt;
  }

  // The cases of one turn.
  void serve(Lane& lane, Instance& instance, uint64_t turn) {
    const uint64_t first = (turn / lane.cases_a_turn * options_.shards + options_.shard) * lane.cases_a_turn;
    const Clock::time_point before_drawing = Clock::now();
    std::vector<Case> tests;
    for (uint64_t k = first; k < first + lane.cases_a_turn; ++k) {
      std::optional<Case> test = options_.source(k);
      if (!test) {
        std::lock_guard lock(mutex_);
        lane.finished = true;
        break;
      }
      tests.push_back(*std::move(test));
    }
    if (tests.empty()) return;
    const Clock::time_point begin = Clock::now();
    ServedTurn served{.first = turn, .spent = {.drawing = seconds_since(before_drawing)}};
    for (std::size_t i = 0; i < tests.size() && (i == 0 || !is_over()); i += lane.cases_a_program) {
      const auto begin_of_program = tests.begin() + static_cast<std::ptrdiff_t>(i);
      const auto left = std::min(lane.cases_a_program, tests.size() - i);
      serve_program(lane, instance, first + i,
                    {std::make_move_iterator(begin_of_program),
                     std::make_move_iterator(begin_of_program + static_cast<std::ptrdiff_t>(left))},
                    served);
    }
    std::lock_guard lock(mutex_);
    lane.state.seconds += seconds_since(begin);
    // A turn that was cut off is served again when the campaign goes on; its findings are kept.
    if (is_interrupted() && served.judged.size() < tests.size()) return;
    finish(lane, std::move(served));
    report_progress(false);
    if (seconds() >= next_save_) save(false);
  }

  // Counts a turn. Under the lock.
  void finish(Lane& lane, ServedTurn served) {
    for (const JudgedCase& one : served.judged) {
      if (auto lost = lost_target(one.examination.outcome)) failure_ = std::move(lost);
      lane.state.tally.add(one.examination, one.seconds);
      lane.state.tally.add_calls(one.test.graph);
      lane.state.tally.add_sizes(one.test, one.examination.outcome);
      lane.state.tally.hidden_by_packing += one.hidden_by_packing;
      if (!one.is_news())
        ++(is_finding(*one.on_base) ? lane.state.tally.base_diverges : lane.state.tally.base_is_silent);
      if (options_.callbacks.on_case) options_.callbacks.on_case(lane.name, one.k, one.test, one.examination);
    }
    lane.state.tally.related += served.related;
    lane.state.tally.spent += served.spent;
    for (auto& [found, entry] : served.known) add_known(std::move(found), *entry);
    lane.state.ahead.insert(served.first);
    while (lane.state.ahead.erase(lane.state.next) > 0) lane.state.next += lane.cases_a_turn;
  }

  // Cases that are one program where the target packs.
  void serve_program(Lane& lane, Instance& instance, uint64_t first, std::vector<Case> tests, ServedTurn& served) {
    const Clock::time_point begin = Clock::now();
    Target& target = *instance.target;
    if (lane.cases_a_program == 1) {
      JudgedCase one = look(instance, {.k = first, .test = std::move(tests.front())});
      one.seconds = seconds_since(begin);
      const Case test = one.test;
      judged(lane, instance, std::move(one), served);
      return look_at_related(lane, instance, first, test, served);
    }
    std::vector<PackedCase> cases = examine_packed(target, std::move(tests));
    const double each = seconds_since(begin) / static_cast<double>(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      PackedCase& one = cases[i];
      JudgedCase judged_case{first + i, std::move(one.test), std::move(one.examination), each};
      if (one.ran_packed && !is_finding(judged_case.examination.judgement.verdict) &&
          mix(options_.seed, judged_case.k) % alone_too == 0) {
        const Clock::time_point again = Clock::now();
        Examination alone = examine(target, judged_case.test);
        judged_case.seconds += seconds_since(again);
        if (is_finding(alone.judgement.verdict)) {
          judged_case.hidden_by_packing = true;
          judged_case.examination = std::move(alone);
        }
      }
      judged(lane, instance, std::move(judged_case), served);
    }
  }

  // Runs a case, and remembers what ran before it where that may matter: in a process that lives on.
  JudgedCase look(Instance& instance, JudgedCase one) const {
    one.examination = examine(*instance.target, one.test);
    if (runs_in_process(instance.target->name())) return one;
    one.before = std::exchange(instance.last, one.test);
    return one;
  }

  // Some of a case's neighbours, on the process that ran it: what it keeps between programs is put to the test.
  void look_at_related(Lane& lane, Instance& instance, uint64_t k, const Case& test, ServedTurn& served) {
    if (options_.related == 0 || lane.name == "recorded" || is_own_target(lane.name)) return;
    std::vector<Neighbour> neighbours = neighbours_of(test);
    Choices choices(options_.seed, k);
    for (int i = 0; i < options_.related && !neighbours.empty() && !is_over(); ++i) {
      const auto place = static_cast<std::ptrdiff_t>(choices.below(neighbours.size()));
      Neighbour neighbour = std::move(neighbours[static_cast<std::size_t>(place)]);
      neighbours.erase(neighbours.begin() + place);
      neighbour.test.name = fmt::format("{}, {}: {}", test.name, neighbour.about, neighbour.edit);
      const Clock::time_point begin = Clock::now();
      JudgedCase one = look(instance, {.k = k, .test = std::move(neighbour.test)});
      served.spent.related += seconds_since(begin);
      ++served.related;
      if (is_finding(one.examination.judgement.verdict)) keep_if_new(lane, instance, one, served);
    }
  }

  // Keeps what diverges, where it is news.
  void keep_if_new(Lane& lane, Instance& instance, JudgedCase& one, ServedTurn& served) {
    const Clock::time_point begin = Clock::now();
    if (instance.base) one.on_base = examine(*instance.base, one.test).judgement.verdict;
    if (one.is_news() && looks_new(*instance.target, lane.name, one, served)) keep(instance, lane.name, one, served);
    served.spent.findings += seconds_since(begin);
  }

  // Adds a case to its turn, and keeps it where it diverges.
  void judged(Lane& lane, Instance& instance, JudgedCase one, ServedTurn& served) {
    if (was_given_up(one.examination.outcome)) return;
    const Clock::time_point begin = Clock::now();
    if (one.examination.judgement.verdict == Verdict::Suspect) {
      if (Adjudication adjudication = adjudicate(*instance.target, one.test); adjudication.proof) {
        one.test = std::move(adjudication.proof->test);
        one.examination = std::move(adjudication.proof->examination);
      }
    }
    one.seconds += seconds_since(begin);
    if (is_finding(one.examination.judgement.verdict)) keep_if_new(lane, instance, one, served);
    served.judged.push_back(std::move(one));
  }

  // Whether a divergence is worth a reduction: it is not known by its looks alone, and few looked like it so far.
  bool looks_new(const Target& target, const std::string& name, const JudgedCase& one, ServedTurn& served) {
    const std::string look = failure_class(name, one.examination.judgement, one.examination.outcome, one.test.graph);
    if (const KnownFinding* entry = options_.known.find(look, name, target.versions())) {
      CampaignFinding found;
      found.finding.target = name;
      found.finding.index = one.k;
      found.finding.verdict = one.examination.judgement.verdict;
      found.finding.signature = look;
      found.finding.original = found.finding.reduced = one.test;
      found.finding.reason = one.examination.judgement.reason;
      served.known.emplace_back(std::move(found), entry);
      return false;
    }
    std::lock_guard lock(mutex_);
    std::set<uint64_t>& reduced = looks_[look];
    if (reduced.size() < reductions_a_look) reduced.insert(one.k);
    return reduced.contains(one.k);
  }

  // Counts a known finding; the first case that shows it stands for the others.
  void add_known(CampaignFinding found, const KnownFinding& entry) {
    const auto same = std::ranges::find_if(result_.findings, [&](const CampaignFinding& seen) {
      return seen.known && seen.finding.signature == found.finding.signature;
    });
    if (same != result_.findings.end()) {
      ++same->known_cases;
      return;
    }
    found.known = entry;
    found.known_cases = 1;
    result_.findings.push_back(std::move(found));
  }

  // Keeps what a case shows, and what was met while it was reduced.
  void keep(Instance& instance, const std::string& name, const JudgedCase& one, ServedTurn& served) {
    const std::vector<SlippedCase> slipped = keep_one(instance, one, served);
    for (const SlippedCase& other : slipped) {
      JudgedCase again{one.k, other.test, examine(*instance.target, other.test)};
      again.test.name = one.test.name + ", cut down";
      if (!is_finding(again.examination.judgement.verdict)) continue;
      if (looks_new(*instance.target, name, again, served)) keep_one(instance, again, served);
    }
  }

  // Keeps what a case shows; gives what was met while it was reduced.
  std::vector<SlippedCase> keep_one(Instance& instance, const JudgedCase& one, ServedTurn& served) {
    const FindingOptions options{.target_options = target_options_,
                                 .seed = options_.seed,
                                 .reduce = options_.reduce,
                                 .controls = options_.controls,
                                 .reduce_seconds = options_.reduce_seconds,
                                 .least_checks = options_.reduce_checks,
                                 .interrupted = [this] { return is_over(); },
                                 .repeat = options_.repeat};
    MadeFinding made = make_finding(*instance.target, one.test, one.examination, options, instance.base.get());
    CampaignFinding found{
        .finding = std::move(made.finding), .checks = made.checks, .reduce_seconds = made.reduce_seconds, .folder = {}};
    found.finding.index = one.k;
    const std::string& target = found.finding.target;  // of a configuration, the one with the fewest switches
    if (const KnownFinding* entry = options_.known.find(found.finding.signature, target, found.finding.versions)) {
      served.known.emplace_back(std::move(found), entry);
      return std::move(made.slipped);
    }
    if (options_.jury && !is_over() && !is_stored(found.finding.signature)) {
      put_to_jury(found.finding, {.target_options = target_options_, .earlier = one.before});
      if (is_over()) found.finding.jury.clear();  // a juror who was given up contradicts nothing
    }
    std::lock_guard lock(mutex_);
    if (!signatures_.insert(found.finding.signature).second) return std::move(made.slipped);
    if (store_) {
      if (Result<std::filesystem::path> folder = store_->add(found.finding)) {
        found.folder = *std::move(folder);
      } else {
        failure_ = folder.error();
      }
    }
    result_.findings.push_back(std::move(found));
    if (options_.callbacks.on_finding) options_.callbacks.on_finding(result_.findings.back(), signatures_.size());
    next_save_ = 0;
    return std::move(made.slipped);
  }

  bool is_stored(const std::string& signature) {
    std::lock_guard lock(mutex_);
    return signatures_.contains(signature);
  }

  void report_progress(bool last) {
    if (!options_.callbacks.on_progress) return;
    const double now = seconds();
    if (!last && now < next_progress_) return;
    next_progress_ = now + seconds_a_save;
    std::map<std::string, int64_t> cases;
    for (const Lane& lane : turns_.lanes) cases[lane.name] = lane.state.tally.cases;
    options_.callbacks.on_progress(cases, result_.findings.size(), now);
  }

  const CampaignOptions& options_;
  TargetOptions target_options_;
  std::atomic<bool> begun_ = false;
  std::atomic<bool> opening_ = false;
  std::atomic<double> first_open_ = -1;  // when the first target was there; negative: none is
  std::atomic<bool> misnamed_ = false;   // a target's name is wrong: nothing will run
  std::mutex mutex_;
  Turns turns_;
  std::optional<FindingStore> store_;
  std::optional<Ledger> ledger_;
  // The cases that were reduced, by failure class: what they look like before reduction.
  std::map<std::string, std::set<uint64_t>> looks_;
  std::set<std::string> signatures_;
  std::optional<Error> failure_;
  CampaignResult result_;
  Clock::time_point start_;
  double seconds_before_ = 0;  // that earlier processes ran
  double next_progress_ = 0;   // in seconds of the campaign
  double next_save_ = seconds_a_save;
};

}  // namespace

Result<CampaignResult> run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

}  // namespace parallax
