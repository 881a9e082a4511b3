// Findings: what fires now and then is reduced and its rate told, what another fault does is not followed, what the
// base gets wrong too is no news, and a fault has one signature that no other has.
#include "fuzz/findings/make_finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "fuzz/campaign/campaign.h"
#include "fuzz/findings/repeats.h"
#include "graph/case_json.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;

std::unique_ptr<Target> portable_with(std::vector<std::string> faults) {
  auto opened = open_target("portable", {.faults = std::move(faults)});
  EXPECT_TRUE(opened) << opened.error().text();
  return *std::move(opened);
}

// Right, but for the runs that a seeded sequence draws, in which it has the fault.
class FlakyTarget : public Target {
 public:
  FlakyTarget(const std::string& fault, int percent) : wrong_(portable_with({fault})), percent_(percent) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  bool promises_identity() const override { return right_->promises_identity(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    return (runs_.chance(percent_) ? wrong_ : right_)->run(test, second);
  }

 private:
  std::string name_ = "flaky";
  std::unique_ptr<Target> right_ = portable_with({});
  std::unique_ptr<Target> wrong_;
  int percent_;
  Choices runs_{17, 0};
};

// Makes the first number of a run's first output wrong by a share of it.
void spoil(std::vector<Tensor>& outputs, double share) {
  if (outputs.empty() || outputs.front().numel() == 0 || !is_floating(outputs.front().dtype)) return;
  outputs.front().set_double(0, outputs.front().get_double(0) * (1 + share));
}

// Wrong by a tenth where a graph has several calls, by as little as shows where it has one, and right without.
class ShrinkingTarget : public Target {
 public:
  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  bool promises_identity() const override { return right_->promises_identity(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    if (test.graph.nodes.empty()) return right_->run(test, second);
    if (test.graph.nodes.size() > 1) return run_wrong_by(0.1, test, second);
    const auto expected = expected_runs(profile(), test);
    const auto judged = [&](const Outcome& outcome) {
      return judge(test.graph, *expected, outcome, promises_identity());
    };
    double share = 1e-9;
    Outcome outcome = run_wrong_by(share, test, second);
    while (share < 1 && !is_finding(judged(outcome).verdict)) outcome = run_wrong_by(share *= 1.5, test, second);
    // Nothing is a little outside a bound of one number.
    const auto divergence = judged(outcome).divergence;
    if (divergence && divergence->excess > 2) return right_->run(test, second);
    return outcome;
  }

 private:
  Outcome run_wrong_by(double share, const Case& test, const std::vector<Tensor>* second) {
    Outcome outcome = right_->run(test, second);
    for (std::optional<Observation>* seen : {&outcome.a, &outcome.b, &outcome.a_again}) {
      if (*seen) spoil((*seen)->outputs, share);
    }
    spoil(outcome.a_kept, share);
    return outcome;
  }

  std::string name_ = "shrinking";
  std::unique_ptr<Target> right_ = portable_with({});
};

// Of several calls it makes numbers that differ from run to run, of one call numbers that are wrong in every run.
class UnsteadyTarget : public Target {
 public:
  explicit UnsteadyTarget(std::string blame) : blame_(std::move(blame)) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  bool promises_identity() const override { return right_->promises_identity(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    Outcome outcome = right_->run(test, second);
    // Less than what the oracle leaves open.
    if (test.graph.nodes.size() > 1 && outcome.a_again) spoil(outcome.a_again->outputs, 1e-7);
    if (test.graph.nodes.size() == 1) {
      for (std::optional<Observation>* seen : {&outcome.a, &outcome.b, &outcome.a_again}) {
        if (*seen) spoil((*seen)->outputs, 0.1);
      }
      spoil(outcome.a_kept, 0.1);
    }
    return outcome;
  }
  std::vector<Diagnosis> explain(const Case&) override { return {{Detector::Builds, "", {}, blame_, ""}}; }

 private:
  std::string name_ = "unsteady";
  std::unique_ptr<Target> right_ = portable_with({});
  std::string blame_;
};

// Keeps the program of the case that came last, whose calls before or after the second one have a fault.
class KeepingTarget : public Target {
 public:
  KeepingTarget(const std::string& fault, bool wrong_later)
      : wrong_(portable_with({fault})), wrong_later_(wrong_later) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  bool promises_identity() const override { return right_->promises_identity(); }
  void forget_program() override { kept_.clear(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    const std::string program = to_json(test);
    const bool later = std::exchange(kept_, program) == program;
    return (later == wrong_later_ ? wrong_ : right_)->run(test, second);
  }

 private:
  std::string name_ = "keeping";
  std::unique_ptr<Target> right_ = portable_with({});
  std::unique_ptr<Target> wrong_;
  bool wrong_later_;
  std::string kept_;
};

// Counts what it is asked.
class CountingTarget : public Target {
 public:
  int asked = 0;

  const std::string& name() const override { return wrong_->name(); }
  const Profile& profile() const override { return wrong_->profile(); }
  bool promises_identity() const override { return wrong_->promises_identity(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    return ++asked, wrong_->run(test, second);
  }
  std::vector<StageOutcome> stages(const Case& test) override { return ++asked, wrong_->stages(test); }
  std::vector<std::pair<std::string, std::string>> artifacts(const Case& test) override {
    return ++asked, wrong_->artifacts(test);
  }

 private:
  std::unique_ptr<Target> wrong_ = portable_with({"F16"});
};

// The first generated case on which a target diverges.
std::pair<Case, Examination> first_divergence(Target& target, uint64_t seed) {
  for (uint64_t k = 0; k < 5000; ++k) {
    Choices choices(seed, k);
    Case test = generate(choices, testing::portable_options());
    if (Examination seen = examine(target, test); is_finding(seen.judgement.verdict)) return {test, seen};
  }
  ADD_FAILURE() << "nothing diverges";
  return {};
}

TEST(MakeFinding, AFaultThatFiresInThreeRunsOfTenIsReducedAndItsRateTold) {
  const auto [test, seen] = first_divergence(*portable_with({"F16"}), 5);
  FlakyTarget flaky("F16", 30);
  const Examination shown = examine_until_wrong(flaky, test, 100);
  ASSERT_TRUE(is_finding(shown.judgement.verdict));
  const Finding finding = make_finding(flaky, test, shown, {}).finding;
  ASSERT_GT(test.graph.nodes.size(), 3U);
  EXPECT_LE(finding.reduced.graph.nodes.size(), 2U);
  ASSERT_TRUE(finding.repeats);
  EXPECT_EQ(finding.repeats->runs, most_repeats);
  EXPECT_THAT(finding.repeats->wrong, AllOf(Ge(1), Le(13)));
  EXPECT_THAT(finding.explanation, HasSubstr(fmt::format("wrong {} of 20 runs", finding.repeats->wrong)));
  const auto back = parse_finding(finding_json(finding));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->repeats, finding.repeats);
}

// A program that an earlier look left something in must not decide: it is right from the second call on.
TEST(MakeFinding, EveryLookBuildsTheProgramAnew) {
  const auto [test, seen] = first_divergence(*portable_with({"F16"}), 5);
  KeepingTarget keeping("F16", false);
  const Finding finding = make_finding(keeping, test, examine(keeping, test), {.repeat = 30}).finding;
  EXPECT_EQ(finding.repeats, (Repeats{30, 30}));
  EXPECT_LE(finding.reduced.graph.nodes.size(), 2U);
  EXPECT_EQ(finding.wrong_calls, WrongCalls::FirstAlone);
  EXPECT_THAT(finding.explanation, HasSubstr("wrong on the first call of a program, right from the second on"));
  const auto back = parse_finding(finding_json(finding));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->wrong_calls, WrongCalls::FirstAlone);
}

TEST(MakeFinding, WhatIsWrongFromTheSecondCallOnIsReducedAndSaysSo) {
  const auto [test, seen] = first_divergence(*portable_with({"F16"}), 5);
  KeepingTarget keeping("F16", true);
  examine(keeping, test);
  const Examination shown = examine(keeping, test);
  ASSERT_TRUE(is_finding(shown.judgement.verdict));
  const Finding finding = make_finding(keeping, test, shown, {}).finding;
  EXPECT_EQ(finding.wrong_calls, WrongCalls::LaterAlone);
  EXPECT_LE(finding.reduced.graph.nodes.size(), 2U);
  EXPECT_THAT(finding.explanation, HasSubstr("right on the first call of a program, wrong from the second on"));
}

// Who interrupts gets the smallest case so far, and no further look is made.
TEST(MakeFinding, AnInterruptedReductionKeepsTheSmallestCaseSoFar) {
  const auto target = portable_with({"F16"});
  const auto [test, seen] = first_divergence(*target, 5);
  int asked = 0;
  const FindingOptions options{.interrupted = [&] { return ++asked > 30; }};
  const MadeFinding made = make_finding(*target, test, seen, options);
  EXPECT_LT(made.finding.reduced.graph.nodes.size(), test.graph.nodes.size());
  EXPECT_TRUE(is_finding(examine(*target, made.finding.reduced).judgement.verdict));
  EXPECT_EQ(made.finding.verdict, seen.judgement.verdict);
  EXPECT_THAT(made.finding.controls, IsEmpty());
}

TEST(MakeFinding, OfWhatAlwaysDivergesTheRateIsToldOnRequestAlone) {
  const auto target = portable_with({"F16"});
  const auto [test, seen] = first_divergence(*target, 5);
  EXPECT_FALSE(make_finding(*target, test, seen, {.reduce = false}).finding.repeats);
  EXPECT_EQ(make_finding(*target, test, seen, {.reduce = false, .repeat = 7}).finding.repeats, (Repeats{7, 7}));
}

TEST(MakeFinding, CopiesOfTheTargetLookAtCandidatesSideBySide) {
  const auto target = portable_with({"F16"});
  const auto [test, seen] = first_divergence(*target, 5);
  const FindingOptions alone{.target_options = {.faults = {"F16"}}};
  FindingOptions together = alone;
  together.jobs = 3;
  const Finding by_one = make_finding(*target, test, seen, alone).finding;
  const Finding by_three = make_finding(*target, test, seen, together).finding;
  EXPECT_LT(by_three.reduced.graph.nodes.size(), test.graph.nodes.size());
  EXPECT_EQ(by_three.reduced.graph.nodes.size(), by_one.reduced.graph.nodes.size());
  EXPECT_EQ(by_three.signature, by_one.signature);
}

TEST(MakeFinding, KeepsTheBestSoFarWhenInterrupted) {
  const auto target = portable_with({"F16"});
  const auto [test, seen] = first_divergence(*target, 5);
  int told = 0;
  FindingOptions options{.target_options = {.faults = {"F16"}}};
  options.progress = [&](const ReduceProgress&) { ++told; };
  options.interrupted = [&] { return told >= 3; };
  const MadeFinding made = make_finding(*target, test, seen, options);
  EXPECT_EQ(made.checks, 3);
  EXPECT_TRUE(is_finding(made.finding.verdict));
}

TEST(Repeats, AreMeasuredInAsManyRunsAsItTakes) {
  EXPECT_EQ(measure_repeats([] { return true; }), (Repeats{4, 4}));
  EXPECT_EQ(measure_repeats([] { return false; }), (Repeats{0, rarest_repeats}));
  EXPECT_EQ(measure_repeats([] { return false; }, 0), (Repeats{0, most_repeats}));
  EXPECT_EQ(tries_for({4, 4}), 1);
  EXPECT_EQ(tries_for({6, 20}), 13);
  EXPECT_EQ(tries_for({1, 20}), 182);
  EXPECT_EQ(tries_for({1, 459}), rarest_repeats);
}

// Of 300 seeds 297 are expected; fewer than 288 would be a chance of one in a million.
TEST(Repeats, FindWhatFiresInOneRunOfAHundred) {
  constexpr int seeds = 300;
  int found = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    std::mt19937_64 random(seed);
    std::bernoulli_distribution fires(0.01);
    found += measure_repeats([&] { return fires(random); }).wrong > 0;
  }
  EXPECT_GE(found, 288);
}

TEST(MakeFinding, AFaultThatFiresInOneRunOfAHundredIsReducedAndItsRateTold) {
  const auto [test, seen] = first_divergence(*portable_with({"F16"}), 5);
  FlakyTarget flaky("F16", 1);
  const Examination shown = examine_until_wrong(flaky, test, 2000);
  ASSERT_TRUE(is_finding(shown.judgement.verdict));
  const Finding finding = make_finding(flaky, test, shown, {}).finding;
  EXPECT_LT(finding.reduced.graph.nodes.size(), test.graph.nodes.size());
  ASSERT_TRUE(finding.repeats);
  EXPECT_GT(finding.repeats->runs, most_repeats);
  EXPECT_THAT(finding.repeats->wrong, AllOf(Ge(1), Le(15)));
}

TEST(MakeFinding, WhatIsKeptAsFoundTakesNoMoreRunsOfTheTarget) {
  CountingTarget target;
  const auto [test, seen] = first_divergence(target, 5);
  target.asked = 0;
  const Finding finding = make_finding(target, test, seen, {.reduce = false, .controls = false}).finding;
  EXPECT_EQ(target.asked, 0);
  EXPECT_EQ(finding.reduced.graph.nodes.size(), test.graph.nodes.size());
  EXPECT_EQ(finding.verdict, seen.judgement.verdict);
  EXPECT_THAT(finding.signature, HasSubstr("mismatch | portable"));
  make_finding(target, test, seen, {.reduce = false});
  EXPECT_GT(target.asked, 0);
}

TEST(MakeFinding, AnErrorFarOutsideItsBoundDoesNotShrinkToItsEdge) {
  ShrinkingTarget target;
  const Case test = testing::case_of(R"({"inputs": {"x": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "b", "op": "aten.sigmoid.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%b"]}], "outputs": ["%c"]})",
                                     R"({"x": [1]})");
  const Case one_call = testing::case_of(R"({"inputs": {"x": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.exp.default", "args": ["%x"]}], "outputs": ["%a"]})",
                                         R"({"x": [1]})");
  const Examination seen = examine(target, test);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch);
  ASSERT_EQ(examine(target, one_call).judgement.verdict, Verdict::Mismatch);  // it would be smaller
  EXPECT_EQ(make_finding(target, test, seen, {}).finding.reduced.graph.nodes.size(), 2U);
}

TEST(MakeFinding, WrongNumbersOfTheSamePartAreFollowedFromNumbersThatDiffer) {
  const Case test = testing::case_of(R"({"inputs": {"x": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "b", "op": "aten.sigmoid.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%b"]}], "outputs": ["%c"]})",
                                     R"({"x": [1]})");
  const auto reduced_with = [&](const std::string& blame) {
    UnsteadyTarget target(blame);
    const Examination seen = examine(target, test);
    EXPECT_EQ(seen.judgement.verdict, Verdict::Nondeterministic);
    return make_finding(target, test, seen, {}).finding;
  };
  const Finding followed = reduced_with("planner");
  EXPECT_EQ(followed.verdict, Verdict::Mismatch);
  EXPECT_EQ(followed.reduced.graph.nodes.size(), 1U);
  // It may be another bug where nobody is to blame.
  const Finding kept = reduced_with("");
  EXPECT_EQ(kept.verdict, Verdict::Nondeterministic);
  EXPECT_EQ(kept.reduced.graph.nodes.size(), 2U);
}

// rsub is lowered the wrong way round (F16), and x - x becomes 0 although x is infinite (F13).
const char* const two_faults = R"({"inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}}, "nodes": [
    {"out": "a", "op": "aten.rsub.Tensor", "args": ["%x", "%y"]},
    {"out": "b", "op": "aten.sub.Tensor", "args": ["%x", "%x"]},
    {"out": "c", "op": "aten.add.Tensor", "args": ["%a", "%b"]}], "outputs": ["%c", "%b"]})";

TEST(MakeFinding, WhatAnotherFaultDoesIsNotFollowedAndHandedBack) {
  const auto target = portable_with({"F13", "F16"});
  const Case test = testing::case_of(two_faults, R"({"x": [3, "inf"], "y": [1, 2]})");
  const Examination seen = examine(*target, test);
  ASSERT_TRUE(is_finding(seen.judgement.verdict));
  const MadeFinding made = make_finding(*target, test, seen, {});
  std::set<std::string> blamed = {made.finding.blame};
  for (const SlippedCase& other : made.slipped) {
    const Examination again = examine(*target, other.test);
    ASSERT_TRUE(is_finding(again.judgement.verdict)) << other.look;
    blamed.insert(make_finding(*target, other.test, again, {}).finding.blame);
  }
  EXPECT_THAT(blamed, ElementsAre("decompose", "simplify"));
}

CampaignOptions campaign_of(std::vector<Case> cases) {
  CampaignOptions options;
  options.source = [cases = std::move(cases)](uint64_t k) -> std::optional<Case> {
    if (k >= cases.size()) return std::nullopt;
    return cases[k];
  };
  return options;
}

TEST(Campaign, GoesOnWithoutATargetThatCannotBeDrivenHere) {
  std::vector<std::string> said;
  CampaignOptions options = campaign_of({testing::case_of(two_faults, R"({"x": [3, 4], "y": [1, 2]})")});
  options.targets = {"cmd:false", "portable"};
  options.callbacks.on_missing = [&](const Error& reason) { said.push_back(reason.text()); };
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_THAT(result->missing, ElementsAre(::testing::Field(&MissingTarget::name, "cmd:false")));
  EXPECT_THAT(said, ElementsAre(Not(IsEmpty()))) << "one reason a target";
  EXPECT_EQ(result->tallies.at("portable").cases, 1);
  options.targets = {"cmd:false"};
  EXPECT_FALSE(run_campaign(options));
}

TEST(Campaign, TwoFaultsInOneCaseAreTwoFindings) {
  CampaignOptions options = campaign_of({testing::case_of(two_faults, R"({"x": [3, "inf"], "y": [1, 2]})")});
  options.targets = {"portable"};
  options.target_options.faults = {"F13", "F16"};
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  std::set<std::string> blamed;
  for (const CampaignFinding& found : result->findings) blamed.insert(found.finding.blame);
  EXPECT_THAT(blamed, ElementsAre("decompose", "simplify"));
}

TEST(Campaign, WhatTheBaseGetsWrongTooIsCountedApart) {
  const std::string rsub = R"({"inputs": {"x": {"type": "f32[1]"}, "y": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.rsub.Tensor", "args": ["%x", "%y"]}], "outputs": ["%a"]})";
  Case right = testing::case_of(rsub, R"({"x": [1], "y": [5]})");
  Case wrong = right;
  Case silent = right;
  right.expect.outputs = {Tensor(DType::F32, Dims{1})};
  right.expect.outputs->front().set_double(0, 4);
  wrong.expect.outputs = {Tensor(DType::F32, Dims{1})};
  CampaignOptions options = campaign_of({right, wrong, silent});
  options.targets = {"portable"};
  options.target_options.faults = {"F16"};
  options.base = "recorded";
  options.reduce = false;
  const auto result = run_campaign(options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->findings.size(), 1U);
  const Tally& tally = result->tallies.at("portable");
  EXPECT_EQ(tally.count(Verdict::Mismatch), 3);
  EXPECT_EQ(tally.base_diverges, 1);
  EXPECT_EQ(tally.base_is_silent, 1);
}

TEST(MakeFinding, IsRightOnTheBaseAfterItsReduction) {
  const auto target = portable_with({"F13", "F16"});
  const auto base = portable_with({"F13"});
  const Case test = testing::case_of(two_faults, R"({"x": [3, 4], "y": [1, 2]})");
  const Examination seen = examine(*target, test);
  ASSERT_TRUE(is_finding(seen.judgement.verdict));
  ASSERT_EQ(examine(*base, test).judgement.verdict, Verdict::Match);
  const MadeFinding made = make_finding(*target, test, seen, {}, base.get());
  EXPECT_EQ(made.finding.reduced.graph.nodes.size(), 1U);
  EXPECT_EQ(examine(*base, made.finding.reduced).judgement.verdict, Verdict::Match);
}

TEST(MakeFinding, NamesThePassesWithoutWhichItIsGone) {
  const auto target = portable_with({"F16"});
  const auto [test, seen] = first_divergence(*target, 5);
  const Finding finding = make_finding(*target, test, seen, {.target_options = {.faults = {"F16"}}}).finding;
  EXPECT_EQ(finding.configuration, "pass decompose");
  EXPECT_THAT(finding.explanation, HasSubstr("the least that diverges: pass decompose"));
}

TEST(MakeFinding, NamesThePartAfterThePassesAtWhichItIsWrongWhateverPassesRun) {
  const auto target = portable_with({"F39"});
  const auto [test, seen] = first_divergence(*target, 5);
  const Finding finding = make_finding(*target, test, seen, {.target_options = {.faults = {"F39"}}}).finding;
  EXPECT_THAT(finding.configuration, EndsWith(", then the planner"));
}

// What the findings of a fault are known by: a few words of the part that is to blame, the same for every graph.
TEST(Signatures, TellFaultsApartAndNotGraphs) {
  const std::map<std::string, std::string> signature_of = {
      {"F07", "mismatch | portable | simplify | memory of its own"},
      {"F08", "mismatch | portable | partition | what is passed through has memory of its own"},
      {"F10", "mismatch | portable | partition | inputs are not the call's"},
      {"F16", "mismatch | portable | decompose | binary"},
      {"F34", "mismatch | portable | merge_common_calls | allocation"},
      {"F36", "mismatch | portable | fusion | a node of a loop does not go element by element"},
      {"F39", "mismatch | portable | planner | no room for what nobody reads"},
  };
  for (const auto& [fault, signature] : signature_of) {
    SCOPED_TRACE(fault);
    const auto target = portable_with({fault});
    for (const uint64_t seed : {1, 2, 3}) {
      const auto [test, seen] = first_divergence(*target, seed);
      EXPECT_EQ(make_finding(*target, test, seen, {}).finding.signature, signature);
    }
  }
}

}  // namespace
}  // namespace parallax
