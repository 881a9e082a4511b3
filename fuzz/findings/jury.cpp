#include "fuzz/findings/jury.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "corpus/store.h"
#include "export/emit_reproducer.h"
#include "fuzz/findings/numeric_evidence.h"
#include "fuzz/findings/repeats.h"
#include "graph/convert.h"
#include "graph/origin.h"
#include "graph/sketch.h"
#include "oracle/judgement_text.h"

namespace parallax {
namespace {

constexpr std::string_view eager_target = "pytorch-eager";
// Other systems that are asked: each takes seconds to start.
constexpr std::size_t most_others = 3;

// The case with every float widened to f64; nothing where a call does not take that.
std::optional<Case> widened(const Case& test) {
  if (!test.methods.empty()) return std::nullopt;  // the methods' own floats would stay as they are
  Sketch sketch = take_apart(test);
  for (const DType from : {DType::F16, DType::BF16, DType::F32}) convert_dtype(sketch, from, DType::F64);
  return put_together(sketch, test);
}

// Whether another target is wrong in the same way: at the same place with the same numbers.
bool is_same_divergence(const std::optional<Divergence>& a, const std::optional<Divergence>& b) {
  return a && b && a->kind == b->kind && a->run == b->run && a->place == b->place && a->element == b->element &&
         a->got == b->got;
}

class Jury {
 public:
  Jury(Finding& finding, const JuryOptions& options) : finding_(finding), options_(options) {}

  void sit() {
    finding_.jury.clear();
    ask_fresh_process();
    if (is_own_target(finding_.target)) return;  // nobody else has its bugs
    ask_script();
    ask_eager();
    ask_others();
    ask_control();
  }

 private:
  void answer(std::string juror, Answer answer, std::string said) {
    finding_.jury.push_back({std::move(juror), answer, std::move(said)});
  }

  Result<std::unique_ptr<Target>> open(const std::string& name) const {
    if (options_.open) return options_.open(name);
    TargetOptions options = name == finding_.target ? options_.target_options : TargetOptions{};
    options.given_up = options_.target_options.given_up;
    return open_in_fresh_process(name, options);
  }

  // Whether the reduced case diverges as it did, in as many runs as it takes.
  bool shows(Target& target) {
    const int tries = finding_.repeats ? tries_for(*finding_.repeats) : 1;
    for (int i = 0; i < tries; ++i) {
      seen_ = examine_anew(target, finding_.reduced);
      if (finding_.wrong_calls == WrongCalls::LaterAlone && !is_finding(seen_.judgement.verdict)) {
        seen_ = examine(target, finding_.reduced);
      }
      if (is_finding(seen_.judgement.verdict)) return true;
    }
    return false;
  }

  void ask_fresh_process() {
    const std::string juror = "a fresh process";
    auto target = open(finding_.target);
    if (!target) return answer(juror, Answer::NotAsked, target.error().text());
    if (finding_.earlier) examine_anew(**target, *finding_.earlier);
    if (shows(**target)) {
      keep_evidence(**target, nullptr);
      return answer(juror, Answer::Agrees,
                    finding_.earlier ? "it shows after the earlier case" : std::string(name(seen_.judgement.verdict)));
    }
    const std::string alone(name(seen_.judgement.verdict));
    if (!finding_.earlier && options_.earlier) {
      if (auto again = open(finding_.target)) {
        examine_anew(**again, *options_.earlier);
        if (shows(**again)) {
          finding_.earlier = options_.earlier;
          keep_evidence(**again, nullptr);
          return answer(juror, Answer::Agrees, "it shows after the case that ran before it, and not without: " + alone);
        }
      }
    }
    answer(juror, Answer::Contradicts, "it does not show: " + alone);
  }

  void keep_evidence(Target& target, const Outcome* eager) {
    if (auto evidence = numeric_evidence(target.profile(), finding_.reduced, seen_, eager)) {
      finding_.evidence = std::move(evidence);
    }
    finding_.grade = grade_of_finding(finding_);
    profile_ = target.profile();
  }

  void ask_script() {
    const std::string juror = "the script";
    if (finding_.earlier || finding_.wrong_calls == WrongCalls::LaterAlone) {
      return answer(juror, Answer::NotAsked, "it runs the case once, alone");
    }
    Result<std::string> script = emit_reproducer(finding_.reduced, script_options(finding_));
    if (!script && !finding_.script.empty()) {
      if (finding_.verdict != Verdict::Mismatch)
        return answer(juror, Answer::NotAsked, "it ends with an error of the system, as it does where it does not run");
      script = finding_.script;
    }
    if (!script) return answer(juror, Answer::NotAsked, script.error().text());
    const auto end = options_.run ? options_.run(finding_.target, *script) : run_script(finding_.target, *script);
    if (!end) return answer(juror, Answer::NotAsked, end.error().text());
    if (end->exit_code == 1 && !end->traceback) return answer(juror, Answer::Agrees, "it exits with 1");
    constexpr int eager_raises = 2;
    if (end->exit_code == eager_raises)
      return answer(juror, Answer::NotAsked, "eager itself raises in it: " + end->said);
    if (end->exit_code < 0) {
      const bool so = finding_.verdict == Verdict::Crash || finding_.verdict == Verdict::Hang;
      return answer(juror, so ? Answer::Agrees : Answer::NotAsked, end->said);
    }
    answer(juror, Answer::Contradicts,
           end->traceback ? "it ends with a traceback: " + end->said
                          : fmt::format("it exits with {}: {}", end->exit_code, end->said));
  }

  // What a target that is thought to be right makes of a case.
  void ask_reference(const std::string& juror, Target& eager, const Case& test, Examination& seen) {
    seen = examine(eager, test);
    const Verdict verdict = seen.judgement.verdict;
    const std::string said =
        fmt::format("{}{}{}", name(verdict), seen.judgement.reason.empty() ? "" : ": ", seen.judgement.reason);
    if (verdict == Verdict::Match || verdict == Verdict::Suspect ||
        (verdict == Verdict::Undecided && seen.outcome.status == Status::Ok)) {
      return answer(juror, Answer::Agrees, said);
    }
    if (verdict == Verdict::Unsupported) return answer(juror, Answer::NotAsked, said);
    answer(juror, Answer::Contradicts, said);
  }

  void ask_eager() {
    const std::string juror(eager_target);
    if (family_of_target(finding_.target) == eager_target) {
      return answer(juror, Answer::NotAsked, "it is what the finding is about");
    }
    const auto eager = open(juror);
    if (!eager) return answer(juror, Answer::NotAsked, eager.error().text());
    Examination seen;
    ask_reference(juror, **eager, finding_.reduced, seen);
    eager_answered_ = finding_.jury.back().answer != Answer::NotAsked;
    if (seen.outcome.a && finding_.evidence && profile_) {
      if (auto evidence = numeric_evidence(*profile_, finding_.reduced, seen_, &seen.outcome)) {
        finding_.evidence = std::move(evidence);
        finding_.grade = grade_of_finding(finding_);
      }
    }
    const std::string in_f64 = juror + " in f64";
    const std::optional<Case> wide = widened(finding_.reduced);
    if (!wide) return answer(in_f64, Answer::NotAsked, "the case cannot be widened");
    Examination wide_seen;
    ask_reference(in_f64, **eager, *wide, wide_seen);
  }

  // A system beside the target: right, wrong in the same way, or silent.
  enum class Look { Right, SameWrong, OtherWrong, Silent };
  Look look(Target& other) {
    const Examination seen = examine(other, finding_.reduced);
    if (seen.judgement.verdict == Verdict::Match) return Look::Right;
    if (!is_finding(seen.judgement.verdict)) return Look::Silent;
    return is_same_divergence(seen.judgement.divergence, seen_.judgement.divergence) ? Look::SameWrong
                                                                                     : Look::OtherWrong;
  }

  // What a second wrong result says hangs on eager: where it agrees with the oracle, both systems are wrong.
  Answer of_wrong() const { return eager_answered_ ? Answer::NotAsked : Answer::Contradicts; }

  void ask_others() {
    const std::vector<std::string> others = options_.others ? *options_.others : other_systems(finding_.target);
    std::vector<std::string> wrong_alike;
    std::size_t asked = 0;
    for (const std::string& name : others) {
      if (asked == most_others) break;
      const auto other = open(name);
      if (!other) continue;
      switch (look(**other)) {
        case Look::Right:
          answer(name, Answer::Agrees, "match");
          return;
        case Look::SameWrong:
          wrong_alike.push_back(name);
          ++asked;
          break;
        case Look::OtherWrong:
          answer(name, of_wrong(), "wrong in another way");
          ++asked;
          break;
        case Look::Silent:
          break;
      }
    }
    if (wrong_alike.empty()) {
      if (asked == 0)
        answer("a second system", Answer::NotAsked, "none is installed that takes the case and decides it");
      return;
    }
    const bool writer =
        goes_through_our_writer(finding_.target) && std::ranges::all_of(wrong_alike, goes_through_our_writer);
    if (writer) {
      answer("our ONNX writer", Answer::Contradicts,
             fmt::format("{} give the same wrong result: the writer is the suspect", fmt::join(wrong_alike, ", ")));
    } else {
      answer(fmt::format("{}", fmt::join(wrong_alike, ", ")), of_wrong(), "gives the same wrong result");
    }
  }

  void ask_control() {
    for (const auto& [what, verdict] : finding_.controls) {
      if (verdict != Verdict::Match) continue;
      return answer("the control", Answer::Agrees, what);
    }
    answer("the control", Answer::NotAsked, finding_.controls.empty() ? "there is none" : "no control is right");
  }

  Finding& finding_;
  const JuryOptions& options_;
  Examination seen_;  // of the reduced case, when it was looked at last
  std::optional<Profile> profile_;
  bool eager_answered_ = false;
};

}  // namespace

void put_to_jury(Finding& finding, const JuryOptions& options) { Jury(finding, options).sit(); }

std::vector<std::string> other_systems(const std::string& target) {
  const Result<Catalogue> catalogue = open_catalogue();
  if (!catalogue) return {};
  const std::string_view family = family_of_target(target);
  const std::string control = control_target(target);
  std::vector<std::string> others;
  std::set<std::string> seen = {std::string(family), std::string(eager_target), std::string(family_of_target(control))};
  for (const TargetEntry& entry : catalogue->list()) {
    if (entry.installed && seen.insert(entry.name).second) others.push_back(entry.name);
  }
  if (goes_through_our_writer(target)) std::ranges::stable_partition(others, goes_through_our_writer);
  return others;
}

}  // namespace parallax
