// Several runs through the target "portable": state that is carried on, sizes that change, and the faults of resizing.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/recorded_target.h"
#include "backends/runtime/compiled_target.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "graph/text_file.h"
#include "places.h"
#include "tests/support/portable_ops.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

std::unique_ptr<Target> target(std::vector<std::string> faults = {}) {
  CompiledTargetOptions options;
  options.faults = FaultSet::of(faults).value();
  return make_compiled_target("portable", options).value();
}

// The blame of the first diagnosis that names a part.
std::string blame(Target& target, const Case& test) {
  for (const Diagnosis& diagnosis : target.explain(test)) {
    if (!diagnosis.blame.empty()) return diagnosis.blame;
  }
  return "";
}

TEST(SeveralRuns, StateIsCarriedOn) {
  const Case test = testing::counting_case();
  const Examination examination = examine(*target(), test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  ASSERT_EQ(examination.outcome.later.size(), 2U);
  EXPECT_EQ(examination.outcome.later[1].outputs[0].get_double(1), -22);
  EXPECT_EQ(examination.outcome.later_again.size(), 2U);
}

TEST(SeveralRuns, WhatWasRecordedIsJudgedRunByRun) {
  Case test = testing::counting_case();
  const auto recorded = make_recorded_target();
  EXPECT_NE(examine(*recorded, test).judgement.verdict, Verdict::Mismatch);
  test.later[0].expect.outputs->front().set_double(0, 4);
  const Judgement wrong = examine(*recorded, test).judgement;
  EXPECT_EQ(wrong.verdict, Verdict::Mismatch);
  ASSERT_TRUE(wrong.divergence);
  EXPECT_EQ(wrong.divergence->run, (RunId{RunKind::Later, 2}));
}

TEST(SeveralRuns, OneProgramRunsAtTheSizesOfEach) {
  const Examination examination = examine(*target(), testing::mean_case());
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  ASSERT_EQ(examination.outcome.later.size(), 1U);
  EXPECT_EQ(examination.outcome.later[0].outputs[0].get_double(0), 3.5);
}

// Of a result over its operand the strides of a dim of size 1 may differ, as they do not at the bound.
TEST(SeveralRuns, TheSanitizerKnowsPlacesFromStrides) {
  CompiledTargetOptions options;
  options.detect = {Detector::Sanitizer};
  const std::unique_ptr<Target> watched = make_compiled_target("portable", options).value();
  const std::string path = PARALLAX_SOURCE_DIR "/corpus/cases/regressions/in-place-over-a-dim-that-shrinks-to-one.json";
  const Case test = parse_case(read_text_file(path).value()).value();
  const Outcome outcome = watched->run(test, nullptr);
  EXPECT_EQ(outcome.status, Status::Ok) << outcome.message;
}

TEST(SeveralRuns, F23KeepsTheCountOfTheBuild) {
  const Case test = testing::variance_case();
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const auto faulty = target({"F23"});
  const Judgement judgement = examine(*faulty, test).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  ASSERT_TRUE(judgement.divergence);
  EXPECT_EQ(judgement.divergence->run, (RunId{RunKind::Later, 2}));
  EXPECT_EQ(blame(*faulty, test), "resize");
}

// B and S are equal at the bound alone; the variance divides by a count of one of them.
TEST(SeveralRuns, F57TakesOneSymbolForAnotherOfEqualBound) {
  const Case test = parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
    "symbols": {"B": [2, 5], "S": [2, 5]}, "graph": {
      "inputs": {"x": {"type": "f32[B]"}, "y": {"type": "f32[S]"}},
      "nodes": [{"out": "v", "op": "aten.var.correction", "args": ["%x", [0]], "kwargs": {"correction": 0}},
                {"out": "s", "op": "aten.sum.default", "args": ["%y"]}],
      "outputs": ["%v", "%s"]},
    "runs": [{"feed": {"x": {"type": "f32[5]", "data": [1, 2, 3, 4, 5]}, "y": {"type": "f32[5]", "data": [1, 2, 3, 4, 5]}}},
             {"feed": {"x": {"type": "f32[2]", "data": [1, 5]}, "y": {"type": "f32[3]", "data": [1, 2, 3]}}}]})")
                        .value();
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const auto faulty = target({"F57"});
  const Judgement judgement = examine(*faulty, test).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  ASSERT_TRUE(judgement.divergence);
  EXPECT_EQ(judgement.divergence->run, (RunId{RunKind::Later, 2}));
  EXPECT_EQ(blame(*faulty, test), "resize");
}

// The caller is told the sizes of the run before.
TEST(SeveralRuns, F58DoesNotResizeAnOutput) {
  const Case test = testing::symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "t", "op": "aten.t.default", "args": ["%a"]},
              {"out": "b", "op": "aten.reshape.default", "args": ["%t", [-1]]},
              {"out": "c", "op": "aten.exp.default", "args": ["%b"]}],
    "outputs": ["%c"]})",
                                           2);
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const auto told = target({"F58"});
  const Judgement judgement = examine(*told, test).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  ASSERT_TRUE(judgement.divergence);
  EXPECT_EQ(judgement.divergence->kind, DivergenceKind::Shape);
  EXPECT_EQ(blame(*told, test), "resize");
}

// Two inputs that exchange their sizes: the total stays, and what the plan has between b and c is too little for b.
Case swapping_case() {
  return parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
    "symbols": {"B": [1, 8], "S": [1, 8]}, "graph": {
      "inputs": {"x": {"type": "f32[B]"}, "y": {"type": "f32[S]"}},
      "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
                {"out": "b", "op": "aten.neg.default", "args": ["%y"]},
                {"out": "c", "op": "aten.exp.default", "args": ["%y"]},
                {"out": "d", "op": "aten.sum.default", "args": ["%a"]},
                {"out": "e", "op": "aten.sum.default", "args": ["%b"]},
                {"out": "f", "op": "aten.sum.default", "args": ["%c"]}],
      "outputs": ["%d", "%e", "%f"]},
    "runs": [{"feed": {"x": {"type": "f32[8]", "data": [1, 2, 3, 4, 5, 6, 7, 8]}, "y": {"type": "f32[2]", "data": [1, 2]}}},
             {"feed": {"x": {"type": "f32[2]", "data": [1, 2]}, "y": {"type": "f32[8]", "data": [8, 7, 6, 5, 4, 3, 2, 1]}}}]})")
      .value();
}

TEST(SeveralRuns, F22KeepsThePlanWhereTheTotalIsTheSame) {
  const Case test = swapping_case();
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const auto faulty = target({"F22"});
  EXPECT_EQ(examine(*faulty, test).judgement.verdict, Verdict::Mismatch);
  EXPECT_EQ(blame(*faulty, test), "planner");
}

// Every symbolic case that compiles matches, and most compile.
TEST(SeveralRuns, GeneratedCasesMatch) {
  int symbolic = 0;
  int refused = 0;
  GenerateOptions options = testing::portable_options();
  options.profile = GenerateProfile::Shape;
  const auto portable = target();
  for (uint64_t stream = 0; stream < 600; ++stream) {
    Choices choices(11, stream);
    const Case test = generate(choices, options);
    ASSERT_TRUE(check_runs(test)) << stream;
    if (test.symbols.empty()) continue;
    ++symbolic;
    const Judgement judgement = examine(*portable, test).judgement;
    refused += judgement.verdict == Verdict::Unsupported;
    EXPECT_FALSE(is_finding(judgement.verdict)) << stream << ": " << judgement.reason;
  }
  EXPECT_GT(symbolic, 100);
  EXPECT_LT(refused, symbolic / 2);
}

}  // namespace
}  // namespace parallax
