#include "oracle/judge_case.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/examine.h"
#include "backends/recorded_target.h"
#include "graph/builder.h"
#include "graph/case_files.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/ensemble.h"
#include "oracle/legal_run.h"
#include "places.h"

namespace parallax {
namespace {

// Softmax of products of softmaxes: a bound that is wide, around values that are not.
Case deep_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {4, 16});
  for (int64_t i = 0; i < data.numel(); ++i) data.set_double(i, 2 * std::sin(static_cast<double>(5 * i + 2)));
  test.feed.push_back(data);
  ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({4, 16}));
  for (int i = 0; i < 10; ++i) {
    const ValueId square = *builder.call("aten.mul.Tensor", {x, x});
    const ValueId mean = *builder.call("aten.mean.dim", {square, std::vector<int64_t>{1}, true});
    const ValueId root = *builder.call("aten.rsqrt.default", {mean});
    x = *builder.call("aten.mul.Tensor", {x, root});
    x = *builder.call("aten.exp.default", {x});
  }
  builder.add_output(x);
  test.graph = builder.take();
  return test;
}

// What a legal implementation returns, with one element off by `relative`.
Judgement judged(double relative) {
  const Profile& profile = *find_profile("eager");
  const Case test = deep_case();
  const ExpectedRuns expected = *expected_runs(profile, test);
  LegalRun eager(test.graph, LegalRun::rounded());
  const ExpectedRuns computed =
      *expected_runs(profile, test, [&](NodeId node, std::span<const BallView> values) { eager.decide(node, values); });
  Outcome outcome;
  outcome.a.emplace();
  outcome.a->inputs.resize(1);
  outcome.a->outputs.push_back(centre(computed.a.outputs[0]));
  Tensor& output = outcome.a->outputs[0];
  output.set_double(7, output.get_double(7) * (1 + relative));
  return judge_case(profile, test, expected, outcome, false);
}

TEST(JudgeCase, AWeakProofIsDecidedByTheEnsemble) {
  const Judgement judgement = judged(0);
  EXPECT_EQ(judgement.verdict, Verdict::Match) << judgement.reason;
  EXPECT_GT(judgement.counts.by_ensemble, 0) << "the proof alone was enough: the case tests nothing";
  EXPECT_EQ(judgement.counts.weak, 0);
  EXPECT_GE(judgement.ensemble_bits.median(), 14);
}

TEST(JudgeCase, WhatLiesInsideTheProofAndFarFromEveryLegalRunIsAStatisticalMismatch) {
  const Judgement judgement = judged(1e-3);
  ASSERT_EQ(judgement.verdict, Verdict::Mismatch) << judgement.reason;
  ASSERT_TRUE(judgement.divergence->statistical()) << "the proof excludes it: the case tests nothing";
  EXPECT_EQ(judgement.divergence->element, 7);
  EXPECT_EQ(judgement.divergence->outside, 1);
  EXPECT_EQ(judgement.divergence->legal_runs, least_program_members);
  EXPECT_GT(judgement.divergence->half_spreads, accused_half_spreads);
  EXPECT_TRUE(judgement.reason.ends_with("half-spreads of 2048 legal runs")) << judgement.reason;
}

TEST(JudgeCase, AnErrorThatEveryLegalRunMayMakeIsAMatch) { EXPECT_EQ(judged(3e-7).verdict, Verdict::Match); }

// sinc(2) is 0 or a little less or more, and its remainder by -1 is 0 or about -1: -1 itself in one legal run of eight.
TEST(JudgeCase, ADecisionThatFewLegalRunsMeetIsNotJudged) {
  const Profile& profile = *find_profile("eager");
  GraphBuilder builder;
  Case test;
  Tensor twos(DType::F32, {64});
  for (int64_t i = 0; i < twos.numel(); ++i) twos.set_double(i, 2);
  test.feed.push_back(twos);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({64}));
  const ValueId zero = *builder.call("aten.sinc.default", {x});
  const ValueId rest = *builder.call("aten.remainder.Scalar", {zero, Scalar(-1.0)});
  builder.add_output(*builder.call("aten.trunc.default", {rest}));
  test.graph = builder.take();
  Outcome outcome;
  outcome.a.emplace();
  outcome.a->inputs.resize(1);
  Tensor& output = outcome.a->outputs.emplace_back(DType::F32, Dims{64});
  for (int64_t i = 0; i < output.numel(); ++i) output.set_double(i, -1);
  const Judgement judgement = judge_case(profile, test, *expected_runs(profile, test), outcome, false);
  EXPECT_NE(judgement.verdict, Verdict::Mismatch) << judgement.reason;
}

// 1.75 by the scale 0.1 is 17 or 18 (form divided_scale). 14 of them are added up with alternating signs: of the 2^14
// ways to round them one moves the sum over the next boundary.
TEST(JudgeCase, AStepThatFewLegalRunsMeetIsNotJudged) {
  const Profile& profile = *find_profile("onnxruntime");
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "steps", "requires": ["quantized"], "graph": {
    "inputs": {"x": {"type": "f32[14]"}, "s": {"type": "f32[14]"}}, "nodes": [
      {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default",
       "args": ["%x", 0.1, 0, -128, 127, "i8"]},
      {"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.default",
       "args": ["%q", 0.1, 0, -128, 127, "i8"]},
      {"out": "t", "op": "aten.mul.Tensor", "args": ["%d", "%s"]},
      {"out": "u", "op": "aten.sum.default", "args": ["%t"]},
      {"out": "v", "op": "aten.add.Scalar", "args": ["%u", 0.05]},
      {"out": "w", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%v", 1.4, 0, -128, 127, "i8"]},
      {"out": "z", "op": "quantized_decomposed.dequantize_per_tensor.default",
       "args": ["%w", 1.4, 0, -128, 127, "i8"]},
      {"out": "y", "op": "aten.mul.Scalar", "args": ["%z", 1.5]}], "outputs": ["%y"]},
    "feed": {"x": [1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75, 1.75],
             "s": [1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1]}})");
  ASSERT_TRUE(test) << test.error().text();
  const auto verdict_of = [&](double y) {
    Outcome outcome;
    outcome.a.emplace().inputs.resize(2);
    outcome.a->outputs.emplace_back(DType::F32, Dims{}).set_double(0, y);
    return judge_case(profile, *test, *expected_runs(profile, *test), outcome, false).verdict;
  };
  EXPECT_EQ(verdict_of(2.1), Verdict::Undecided);
  EXPECT_EQ(verdict_of(4.2), Verdict::Mismatch);
}

// The quantized 0.05 is 0 or 0.1. With 0.1 the products cancel, to 0 or to what rounding leaves of them, which is true.
TEST(JudgeCase, NumbersThatCancelBehindAStepMayBeZero) {
  const Profile& profile = *find_profile("portable");
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "cancels", "requires": ["quantized"], "graph": {
    "inputs": {"x": {"type": "f32[1,2]"}, "w": {"type": "f32[1,2]"}}, "nodes": [
      {"out": "h", "op": "aten.mul.Scalar", "args": ["%x", 0.1]},
      {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default",
       "args": ["%h", 0.1, 0, -128, 127, "i8"]},
      {"out": "d", "op": "quantized_decomposed.dequantize_per_tensor.default",
       "args": ["%q", 0.1, 0, -128, 127, "i8"]},
      {"out": "u", "op": "aten.linear.default", "args": ["%d", "%w"]},
      {"out": "y", "op": "aten.logical_or_.default", "args": ["%u", "%u"]}], "outputs": ["%y"]},
    "feed": {"x": [0.5, 3], "w": [5.31, -1.77]}})");
  ASSERT_TRUE(test) << test.error().text();
  Outcome outcome;
  outcome.a.emplace().inputs.resize(2);
  outcome.a->outputs.emplace_back(DType::F32, Dims{1, 1}).set_double(0, 0);
  EXPECT_EQ(judge_case(profile, *test, *expected_runs(profile, *test), outcome, false).verdict, Verdict::Undecided);
}

// One operation may take a subnormal for 0 where another reads it as it is.
TEST(JudgeCase, ASubnormalMayBeFlushedByOneOfItsReaders) {
  const Profile& profile = *find_profile("xnnpack");
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "flushed", "graph": {
    "inputs": {"x": {"type": "f32[1]"}}, "nodes": [
      {"out": "a", "op": "aten.clone.default", "args": ["%x"]},
      {"out": "b", "op": "aten.maximum.default", "args": ["%a", "%a"]},
      {"out": "c", "op": "aten.ne_.Tensor", "args": ["%a", "%b"]}], "outputs": ["%c"]},
    "feed": {"x": [-6e-39]}})");
  ASSERT_TRUE(test) << test.error().text();
  Outcome outcome;
  outcome.a.emplace().inputs.resize(1);
  outcome.a->outputs.emplace_back(DType::F32, Dims{1}).set_double(0, 1);
  EXPECT_EQ(judge_case(profile, *test, *expected_runs(profile, *test), outcome, false).verdict, Verdict::Undecided);
}

// What a target returned of a case whose right outputs are known, wrong in one way.
Tensor spoiled(Tensor tensor, std::string_view how) {
  const int64_t count = tensor.numel();
  const Tensor right = tensor;
  for (int64_t i = 0; i < count; ++i) {
    const double x = right.get_double(i);
    const double noise = std::sin(static_cast<double>(i * i + 1));
    if (how == "zeros") tensor.set_double(i, 0);
    if (how == "rolled") tensor.set_double(i, right.get_double((i + 1) % count));
    if (how == "noise of 1e-2") tensor.set_double(i, x * (1 + 1e-2 * noise));
    if (how == "noise of 1e-4") tensor.set_double(i, x * (1 + 1e-4 * noise));
    if (how == "one element 1 % off") tensor.set_double(i, i == count / 3 ? x * 1.01 : x);
  }
  return tensor;
}

// Five whole programs, as eager computed them and spoiled.
TEST(JudgeCase, WholeProgramsAsEagerComputedThemMatchAndSpoiledOnesDoNot) {
  const auto cases = read_cases(PARALLAX_DATA_DIR "/conformance/power.jsonl.gz");
  ASSERT_TRUE(cases) << cases.error().text();
  ASSERT_EQ(cases->size(), 5U);
  const auto recorded = make_recorded_target();
  for (const Result<Case>& read : *cases) {
    ASSERT_TRUE(read) << read.error().text();
    const Case& test = *read;
    const Judgement right = examine(*recorded, test).judgement;
    EXPECT_EQ(right.verdict, Verdict::Match) << test.name << ": " << right.reason;
    for (const std::string_view how : {"zeros", "rolled", "noise of 1e-2", "noise of 1e-4", "one element 1 % off"}) {
      Case wrong = test;
      for (Tensor& output : *wrong.expect.outputs) output = spoiled(output, how);
      EXPECT_EQ(examine(*recorded, wrong).judgement.verdict, Verdict::Mismatch) << test.name << ", " << how;
    }
  }
}

// The verdict on a program of one f32 output that gives this number.
Verdict verdict_on(std::string_view text, double given) {
  const Profile& profile = *find_profile("portable");
  const Result<Case> test = parse_case(text);
  if (!test) throw std::runtime_error(test.error().text());
  Outcome outcome;
  outcome.a.emplace().inputs.resize(test->feed.size());
  outcome.a->outputs.emplace_back(DType::F32, Dims{}).set_double(0, given);
  return judge_case(profile, *test, *expected_runs(profile, *test), outcome, false).verdict;
}

// The sign of a 0 is not known: copysign gives 1 or -1, and no number in between. The variance of equal ones is 0.
TEST(JudgeCase, ALegalRunGivesNoNumberBetweenTwoSigns) {
  constexpr std::string_view variance = R"({"parallax": 1, "name": "signs", "graph": {
    "inputs": {"ones": {"type": "f32[2]"}, "signs": {"type": "f32[2]"}}, "nodes": [
      {"out": "a", "op": "aten.copysign.Tensor", "args": ["%ones", "%signs"]},
      {"out": "b", "op": "aten.var.correction", "args": ["%a"]},
      {"out": "c", "op": "aten.atan2.default", "args": ["%b", "%b"]}], "outputs": ["%c"]},
    "feed": {"ones": [1, 1], "signs": [0, 1]}})";
  EXPECT_NE(verdict_on(variance, 0), Verdict::Mismatch);
}

// An angle of two zeros is 0 or half a turn to either side, as their signs say: for all of them alike, too.
TEST(JudgeCase, ALegalRunTurnsAnglesOfZerosAlike) {
  constexpr std::string_view largest = R"({"parallax": 1, "name": "angles", "graph": {
    "inputs": {"x": {"type": "f32[6]"}}, "nodes": [
      {"out": "a", "op": "aten.atan2.default", "args": ["%x", "%x"]},
      {"out": "n", "op": "aten.norm.ScalarOpt_dtype", "args": ["%a", "inf"], "kwargs": {"dtype": "f32"}}],
    "outputs": ["%n"]}, "feed": {"x": [0, 0, 0, 0, 0, 0]}})";
  EXPECT_NE(verdict_on(largest, 0), Verdict::Mismatch);
  EXPECT_NE(verdict_on(largest, 3.1415927), Verdict::Mismatch);
  EXPECT_EQ(verdict_on(largest, 400), Verdict::Mismatch);
  constexpr std::string_view positive = R"({"parallax": 1, "name": "angle", "graph": {
    "inputs": {"x": {"type": "f32[]"}, "y": {"type": "f32[]"}}, "nodes": [
      {"out": "a", "op": "aten.atan2.default", "args": ["%x", "%y"]},
      {"out": "r", "op": "aten.relu.default", "args": ["%a"]}], "outputs": ["%r"]}, "feed": {"x": [0], "y": [-1]}})";
  EXPECT_NE(verdict_on(positive, 0), Verdict::Mismatch);
  EXPECT_NE(verdict_on(positive, 3.1415927), Verdict::Mismatch);
}

}  // namespace
}  // namespace parallax
