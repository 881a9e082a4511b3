// Jury: who agrees confirms a finding, who contradicts makes it unconfirmed, and where nobody can be asked the proof
// stands alone. The jurors are stand-ins.
#include "fuzz/findings/jury.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "backends/examine.h"
#include "fuzz/findings/numeric_evidence.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "oracle/judge.h"
#include "places.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Target> portable() { return *open_target("portable", {}); }

// Adds a number to the first output, in every run or after another case alone.
class OffTarget : public Target {
 public:
  OffTarget(std::string name, double off, bool after_another = false)
      : name_(std::move(name)), off_(off), after_another_(after_another) {}

  const std::string& name() const override { return name_; }
  const Profile& profile() const override { return right_->profile(); }
  Outcome run(const Case& test, const std::vector<Tensor>* second) override {
    const bool is_off = !after_another_ || (!last_.empty() && last_ != test.name);
    last_ = test.name;
    Outcome outcome = right_->run(test, second);
    if (!is_off) return outcome;
    for (std::optional<Observation>* seen : {&outcome.a, &outcome.b, &outcome.a_again}) {
      if (*seen) add((*seen)->outputs);
    }
    add(outcome.a_kept);
    return outcome;
  }

 private:
  void add(std::vector<Tensor>& outputs) const {
    if (!outputs.empty()) outputs[0].set_double(0, outputs[0].get_double(0) + off_);
  }

  std::string name_;
  double off_;
  bool after_another_;
  std::string last_;
  std::unique_ptr<Target> right_ = portable();
};

// What is installed: by name, how far off it is.
struct World {
  std::map<std::string, double> off = {{"broken", 1}};
  bool after_another = false;
  int script_code = 1;
  bool traceback = false;

  JuryOptions options(std::vector<std::string> others = {}) const {
    JuryOptions options;
    options.open = [*this](const std::string& name) -> Result<std::unique_ptr<Target>> {
      const auto found = off.find(name);
      if (found == off.end()) return fail("{} is not installed", name);
      return std::make_unique<OffTarget>(name, found->second, after_another && name == "broken");
    };
    options.others = std::move(others);
    options.run = [*this](const std::string&, const std::string&) -> Result<ScriptEnd> {
      return ScriptEnd{script_code, traceback, "said last"};
    };
    return options;
  }
};

Case negation(const std::string& name = "negation") {
  Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "y", "op": "aten.neg.default", "args": ["%x"]}],
    "outputs": ["%y"]})",
                               R"({"x": [1, 2]})");
  test.name = name;
  return test;
}

Finding finding_on(const std::string& target) {
  Finding finding;
  finding.target = target;
  finding.verdict = Verdict::Mismatch;
  finding.original = finding.reduced = negation();
  return finding;
}

const JurorAnswer& answer_of(const Finding& finding, const std::string& juror) {
  static const JurorAnswer none;
  const auto found = std::ranges::find(finding.jury, juror, &JurorAnswer::juror);
  EXPECT_NE(found, finding.jury.end()) << juror << " was not heard";
  return found == finding.jury.end() ? none : *found;
}

TEST(Jury, ConfirmsWhatShowsAgainAndEagerAndAnotherSystemDisprove) {
  World world;
  world.off = {{"broken", 1}, {"pytorch-eager", 0}, {"second", 0}};
  Finding finding = finding_on("broken");
  put_to_jury(finding, world.options({"second"}));
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Confirmed);
  for (const char* juror : {"a fresh process", "pytorch-eager", "pytorch-eager in f64", "second"}) {
    EXPECT_EQ(answer_of(finding, juror).answer, Answer::Agrees) << juror << ": " << answer_of(finding, juror).said;
  }
  ASSERT_TRUE(finding.evidence);
  ASSERT_TRUE(finding.evidence->eager);
  EXPECT_EQ(finding.evidence->eager->ulps, 0);
  EXPECT_EQ(finding.evidence->target.value, 0);
  EXPECT_EQ(finding.evidence->mismatched, 1);
  EXPECT_EQ(finding.grade, Grade::Gross);
}

TEST(Jury, WhatDoesNotShowInAFreshProcessIsUnconfirmed) {
  World world;
  world.off = {{"broken", 0}};
  Finding finding = finding_on("broken");
  put_to_jury(finding, world.options());
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Unconfirmed);
  EXPECT_EQ(answer_of(finding, "a fresh process").answer, Answer::Contradicts);
}

TEST(Jury, AnEagerThatTheOracleIsWrongAboutContradicts) {
  World world;
  world.off = {{"broken", 1}, {"pytorch-eager", 1}};
  Finding finding = finding_on("broken");
  put_to_jury(finding, world.options());
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Unconfirmed);
  EXPECT_EQ(answer_of(finding, "pytorch-eager").answer, Answer::Contradicts);
}

TEST(Jury, WithoutAnybodyToAskTheProofStandsAlone) {
  World world;
  world.off = {};
  Finding finding = finding_on("broken");
  put_to_jury(finding, world.options());
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::ByProof);
  EXPECT_THAT(answer_of(finding, "pytorch-eager").said, HasSubstr("not installed"));
}

TEST(Jury, AScriptThatRunsMustExitWithOneAndWithoutATraceback) {
  World world;
  world.off = {{"torch-inductor", 1}};
  Finding finding = finding_on("torch-inductor");
  put_to_jury(finding, world.options());
  EXPECT_EQ(answer_of(finding, "the script").answer, Answer::Agrees);
  world.traceback = true;
  put_to_jury(finding, world.options());
  EXPECT_EQ(answer_of(finding, "the script").answer, Answer::Contradicts);
  world.traceback = false;
  world.script_code = 0;
  put_to_jury(finding, world.options());
  EXPECT_EQ(answer_of(finding, "the script").answer, Answer::Contradicts);
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Unconfirmed);
  world.script_code = 2;  // eager itself raises, which says nothing of the target
  put_to_jury(finding, world.options());
  EXPECT_EQ(answer_of(finding, "the script").answer, Answer::NotAsked);
}

TEST(Jury, KeepsTheCaseThatMustRunBefore) {
  World world;
  world.after_another = true;
  Finding finding = finding_on("broken");
  JuryOptions options = world.options();
  put_to_jury(finding, options);
  EXPECT_EQ(answer_of(finding, "a fresh process").answer, Answer::Contradicts);
  options.earlier = negation("earlier");
  put_to_jury(finding, options);
  EXPECT_EQ(answer_of(finding, "a fresh process").answer, Answer::Agrees);
  ASSERT_TRUE(finding.earlier);
  EXPECT_EQ(finding.earlier->name, "earlier");
  EXPECT_EQ(answer_of(finding, "the script").answer, Answer::NotAsked);
}

TEST(Jury, SystemsOfOneWriterThatAreWrongAlikeBlameTheWriter) {
  World world;
  world.off = {{"onnxruntime", 1}, {"openvino", 1}, {"tract", 1}, {"pytorch-eager", 0}};
  ::setenv("PARALLAX_ROOT", PARALLAX_SOURCE_DIR, 1);
  Finding finding = finding_on("onnxruntime");
  put_to_jury(finding, world.options({"openvino", "tract"}));
  EXPECT_EQ(answer_of(finding, "our ONNX writer").answer, Answer::Contradicts);
  world.off["tract"] = 0;
  put_to_jury(finding, world.options({"openvino", "tract"}));
  EXPECT_EQ(answer_of(finding, "tract").answer, Answer::Agrees);
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Confirmed);
}

TEST(Jury, OursAreRunAgainInAFreshProcessAlone) {
  World world;
  world.off = {{"portable", 1}, {"pytorch-eager", 0}};
  Finding finding = finding_on("portable");
  put_to_jury(finding, world.options());
  ASSERT_EQ(finding.jury.size(), 1U);
  EXPECT_EQ(confirmation_of(finding.jury), Confirmation::Confirmed);
}

TEST(Jury, ItsAnswersAreKeptWithTheFinding) {
  World world;
  world.off = {{"broken", 1}, {"pytorch-eager", 0}};
  Finding finding = finding_on("broken");
  put_to_jury(finding, world.options());
  const auto back = parse_finding(finding_json(finding));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->jury, finding.jury);
  EXPECT_EQ(back->grade, finding.grade);
  ASSERT_TRUE(back->evidence);
  EXPECT_EQ(back->evidence->place, finding.evidence->place);
  EXPECT_EQ(back->evidence->eager->value, finding.evidence->eager->value);
}

TEST(RunPython, TellsHowAScriptEnds) {
  const auto shown = run_python({"python3"}, "print('differs')\nraise SystemExit(1)\n");
  ASSERT_TRUE(shown) << shown.error().text();
  EXPECT_EQ(shown->exit_code, 1);
  EXPECT_FALSE(shown->traceback);
  EXPECT_EQ(shown->said, "differs");
  const auto broken = run_python({"python3"}, "import sys\nprint('x', flush=True)\nraise ValueError('no')\n");
  ASSERT_TRUE(broken) << broken.error().text();
  EXPECT_EQ(broken->exit_code, 1);
  EXPECT_TRUE(broken->traceback);
  const auto killed = run_python({"python3"}, "import os\nos.kill(os.getpid(), 11)\n");
  ASSERT_TRUE(killed) << killed.error().text();
  EXPECT_EQ(killed->exit_code, -1);
  EXPECT_EQ(killed->said, "SIGSEGV");
}

TEST(NumericEvidence, TellsWhatDefaultTolerancesDoNotSee) {
  OffTarget slightly("slightly", 1e-6);
  const Case test = negation();
  const Examination seen = examine(slightly, test);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch);
  const auto evidence = numeric_evidence(slightly.profile(), test, seen);
  ASSERT_TRUE(evidence);
  EXPECT_TRUE(evidence->inside_tolerances());
  EXPECT_EQ(evidence->reference, -1);
  EXPECT_GT(evidence->target.ulps, 8);
  Finding finding = finding_on("slightly");
  finding.evidence = evidence;
  EXPECT_EQ(grade_of_finding(finding), Grade::InsideTolerances);
}

// exp(0) by the scale 0.4 lies at a boundary: 2 or 3, and 80 or 120 in the end.
TEST(NumericEvidence, SaysNothingOfAnElementWithinWideBounds) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "at-a-boundary", "requires": ["quantized"],
    "graph": {"inputs": {"x": {"type": "f32[2]"}}, "nodes": [
      {"out": "e", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%e", 0.4, 0, -128, 127, "i8"]},
      {"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.default", "args": ["%q", 0.4, 0, -128, 127, "i8"]},
      {"out": "y", "op": "aten.mul.Scalar", "args": ["%d", 100]}], "outputs": ["%y"]},
    "feed": {"x": [0, 1]}})");
  ASSERT_TRUE(test) << test.error().text();
  const Profile& eager = *find_profile("eager");
  Examination seen;
  seen.outcome.a.emplace().inputs.resize(1);
  Tensor& output = seen.outcome.a->outputs.emplace_back(DType::F32, Dims{2});
  output.set_double(0, 120);
  output.set_double(1, 99);
  seen.judgement = judge(*test, *expected_runs(eager, *test), seen.outcome, false);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch);
  const auto evidence = numeric_evidence(eager, *test, seen);
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->mismatched, 1);
  EXPECT_NEAR(evidence->reference, 280, 0.01);
}

// A quotient by zero is an infinity, whatever its sign, and no number that is large.
TEST(NumericEvidence, ANumberInThePlaceOfAnInfinityIsAnEdge) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "infinite", "graph": {
    "inputs": {"x": {"type": "f32[2]"}}, "nodes": [{"out": "a", "op": "aten.reciprocal.default", "args": ["%x"]}],
    "outputs": ["%a"]}, "feed": {"x": [0, 0]}})");
  ASSERT_TRUE(test) << test.error().text();
  OffTarget broken("broken", std::numeric_limits<double>::quiet_NaN());
  const Examination seen = examine(broken, *test);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch) << seen.judgement.reason;
  Finding finding = finding_on("broken");
  finding.evidence = numeric_evidence(broken.profile(), *test, seen);
  ASSERT_TRUE(finding.evidence);
  EXPECT_TRUE(std::isinf(finding.evidence->reference));
  EXPECT_EQ(grade_of_finding(finding), Grade::Edge);
}

// x by the root of its square, again and again: each time the proof doubles its error, and no run is off by more.
TEST(NumericEvidence, OfAStatisticalMismatchTheReferenceIsTheProgramInDouble) {
  std::string nodes;
  constexpr int steps = 14;
  for (int i = 0; i < steps; ++i) {
    nodes += fmt::format(R"({{"out": "s{0}", "op": "aten.mul.Tensor", "args": ["%x{0}", "%x{0}"]}},
      {{"out": "r{0}", "op": "aten.rsqrt.default", "args": ["%s{0}"]}},
      {{"out": "x{1}", "op": "aten.mul.Tensor", "args": ["%x{0}", "%r{0}"]}}{2})",
                         i, i + 1, i + 1 < steps ? "," : "");
  }
  const Result<Case> test = parse_case(fmt::format(R"({{"parallax": 1, "name": "chain", "graph": {{
    "inputs": {{"x0": {{"type": "f32[2]"}}}}, "nodes": [{}], "outputs": ["%x{}"]}}, "feed": {{"x0": [3, 0.7]}}}})",
                                                   nodes, steps));
  ASSERT_TRUE(test) << test.error().text();
  OffTarget slightly("slightly", 1e-4);
  const Examination seen = examine(slightly, *test);
  ASSERT_EQ(seen.judgement.verdict, Verdict::Mismatch) << seen.judgement.reason;
  ASSERT_TRUE(seen.judgement.divergence->statistical()) << "the proof excludes it: the case tests nothing";
  const auto evidence = numeric_evidence(slightly.profile(), *test, seen);
  ASSERT_TRUE(evidence);
  EXPECT_DOUBLE_EQ(evidence->reference, 1);
  EXPECT_FALSE(evidence->inside_tolerances());
}

TEST(NumericEvidence, AnEdgeIsWhatIsFedNoUsualNumber) {
  Case test = negation();
  EXPECT_FALSE(is_at_an_edge(test));
  test.feed[0].set_double(0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(is_at_an_edge(test));
  test.feed[0].set_double(0, 1e-40);
  EXPECT_TRUE(is_at_an_edge(test));
}

}  // namespace
}  // namespace parallax
