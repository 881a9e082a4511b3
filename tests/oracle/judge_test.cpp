#include "oracle/judge.h"

#include <gtest/gtest.h>

#include "core/limits.h"
#include "graph/builder.h"
#include "ops/profiles.h"
#include "oracle/acceptance.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

Tensor tensor_of(DType dtype, std::initializer_list<double> values) {
  Tensor tensor(dtype, {static_cast<int64_t>(values.size())});
  int64_t i = 0;
  for (double value : values) {
    if (is_floating(dtype)) {
      tensor.set_double(i++, value);
    } else {
      tensor.set_integer(i++, static_cast<int64_t>(value));
    }
  }
  return tensor;
}

TEST(Accepts, TakesWhatTheBallRoundsTo) {
  struct Row {
    Ball ball;
    double got;
    bool inside;
  };
  const double ulp = 0x1p-23;  // of f32 at 1
  const Row rows[] = {
      {Ball::exact(1), 1, true},
      {Ball::exact(1), 1 + ulp, false},
      {Ball::exact(0.1), static_cast<double>(0.1F), true},  // between two floats: either
      {Ball::exact(0.1), static_cast<double>(std::nextafter(0.1F, 0.0F)), true},
      {Ball::exact(0.1), static_cast<double>(std::nextafter(0.1F, 1.0F)), false},
      {{1, ulp, false, false, Undecided::No}, 1 + ulp, true},
      {{1, ulp, false, false, Undecided::No}, 1 + 2 * ulp, false},
      {{1, ulp, false, false, Undecided::No}, nan, false},
      {{1, ulp, true, false, Undecided::No}, nan, true},
      {{1, ulp, false, true, Undecided::No}, -infinity, true},
      {Ball::exact(infinity), infinity, true},
      {Ball::exact(infinity), -infinity, false},
      {Ball::exact(infinity), 3e38, false},
      {Ball::exact(nan), nan, true},
      {Ball::exact(nan), 0, false},
      {Ball::exact(0), -0.0, true},
      {Ball::unknown(Undecided::Unbounded), 17, true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(accepts(DType::F32, row.ball, row.got), row.inside)
        << row.ball.mid << " ± " << row.ball.radius << " got " << row.got;
  }
}

// A graph with one output; what it computes does not matter here.
Graph identity_graph() {
  GraphBuilder builder;
  const auto x = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  builder.add_output(*x);
  return builder.take();
}

ExpectedRuns expecting(std::vector<Ball> balls) {
  const BallTensor tensor{DType::F32, {static_cast<int64_t>(balls.size())}, std::move(balls), {}};
  return {{{tensor}, {tensor}, {}, {0, 0}}, std::nullopt, {}};
}

Outcome returning(Tensor tensor) {
  Outcome outcome;
  outcome.a.emplace();
  outcome.a->inputs.push_back(std::nullopt);
  outcome.a->outputs.push_back(std::move(tensor));
  return outcome;
}

TEST(Judge, NamesTheFirstWrongElement) {
  const Judgement judgement = judge(identity_graph(), expecting({Ball::exact(1), Ball::exact(2)}),
                                    returning(tensor_of(DType::F32, {1, 3})), true);
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  ASSERT_TRUE(judgement.divergence);
  EXPECT_EQ(judgement.divergence->element, 1);
  EXPECT_EQ(judgement.divergence->outside, 1);
  EXPECT_EQ(judgement.reason, "A: out[0] x element 1: expected 2 got 3");
}

// Inside the bound and yet more than eight deviations off: no proof, and no match.
TEST(Judge, AnUnlikelyElementIsSuspect) {
  Ball ball{1, 0x1p-10, false, false, Undecided::No, 0x1p-20F};
  const auto judged = [&](double got) {
    return judge(identity_graph(), expecting({Ball::exact(1), ball}), returning(tensor_of(DType::F32, {1, got})), true);
  };
  EXPECT_EQ(judged(1 + 0x1p-18).verdict, Verdict::Match);
  const Judgement suspect = judged(1 + 0x1p-14);
  EXPECT_EQ(suspect.verdict, Verdict::Suspect);
  EXPECT_EQ(suspect.counts.suspect, 1);
  ASSERT_TRUE(suspect.divergence.has_value());
  EXPECT_EQ(suspect.divergence->element, 1);
  EXPECT_EQ(judged(1 + 0x1p-9).verdict, Verdict::Mismatch);
  ball.deviation = -1;
  EXPECT_EQ(judged(1 + 0x1p-14).verdict, Verdict::Match) << "no deviation is known";
}

TEST(Judge, CountsTheElementsThatAreProvedSharply) {
  const Ball sharp{1, 0x1p-10, false, false, Undecided::No};
  const Ball blunt{1, 0x1p-9, false, false, Undecided::No};
  const Judgement judgement = judge(identity_graph(), expecting({sharp, blunt, Ball::exact(1)}),
                                    returning(tensor_of(DType::F32, {1, 1, 1})), true);
  const auto f32 = static_cast<std::size_t>(DType::F32);
  EXPECT_EQ(judgement.counts.inexact[f32], 2);
  EXPECT_EQ(judgement.counts.sharp[f32], 1);
}

TEST(Judge, AnUndecidedElementIsNoMatch) {
  const auto expected = expecting({Ball::exact(1), Ball::unknown(Undecided::InexactCompare)});
  EXPECT_EQ(judge(identity_graph(), expected, returning(tensor_of(DType::F32, {1, 9})), true).verdict,
            Verdict::Undecided);
  EXPECT_EQ(judge(identity_graph(), expected, returning(tensor_of(DType::F32, {2, 9})), true).verdict,
            Verdict::Mismatch);
  // A radius without end takes everything, so it decides nothing.
  const auto unbounded = expecting({Ball::exact(1), {0, infinity, false, false, Undecided::No}});
  EXPECT_EQ(judge(identity_graph(), unbounded, returning(tensor_of(DType::F32, {1, 9})), true).verdict,
            Verdict::Undecided);
}

TEST(Judge, ShapeDtypeAndCountAreJudged) {
  const auto expected = expecting({Ball::exact(1), Ball::exact(2)});
  EXPECT_EQ(judge(identity_graph(), expected, returning(tensor_of(DType::F32, {1})), true).divergence->kind,
            DivergenceKind::Shape);
  EXPECT_EQ(judge(identity_graph(), expected, returning(tensor_of(DType::F64, {1, 2})), true).divergence->kind,
            DivergenceKind::DType);
  Outcome two = returning(tensor_of(DType::F32, {1, 2}));
  two.a->outputs.push_back(two.a->outputs[0]);
  EXPECT_EQ(judge(identity_graph(), expected, two, true).divergence->kind, DivergenceKind::Count);
}

TEST(Judge, AnOutputThatChangesWhenTheProgramRunsAgainIsCaught) {
  auto expected = expecting({Ball::exact(1), Ball::exact(2)});
  expected.b = expected.a;
  Outcome outcome = returning(tensor_of(DType::F32, {1, 2}));
  outcome.b = outcome.a;
  outcome.a_kept = {tensor_of(DType::F32, {1, 7})};
  const Judgement judgement = judge(identity_graph(), expected, outcome, true);
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  EXPECT_EQ(judgement.divergence->run.kind, RunKind::AKeptAfterB);
  EXPECT_EQ(judgement.reason, "A, read again after B: out[0] x element 1: expected 2 got 7");
}

TEST(Judge, AnOutputOfALaterRunThatTheNextOneChangesIsCaught) {
  auto expected = expecting({Ball::exact(1), Ball::exact(2)});
  expected.later = {expected.a, expected.a, expected.a};
  Outcome outcome = returning(tensor_of(DType::F32, {1, 2}));
  outcome.later = {*outcome.a, *outcome.a, *outcome.a};
  outcome.a_kept = outcome.a->outputs;
  outcome.later_kept = {outcome.a_kept, outcome.a_kept};
  EXPECT_EQ(judge(identity_graph(), expected, outcome, true).verdict, Verdict::Match);
  outcome.later_kept[1] = {tensor_of(DType::F32, {1, 7})};
  const Judgement judgement = judge(identity_graph(), expected, outcome, true);
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  EXPECT_EQ(judgement.divergence->run, (RunId{RunKind::LaterKept, 3}));
  EXPECT_EQ(judgement.reason, "run 3, read again after the last run: out[0] x element 1: expected 2 got 7");
}

TEST(Judge, TwoRunsOfOneInputMustAgreeInBits) {
  const Ball loose{1, 0.5, false, false, Undecided::No};
  Outcome outcome = returning(tensor_of(DType::F32, {1, 1}));
  outcome.a_again = outcome.a;
  outcome.a_again->outputs[0].set_double(1, 1.25);
  EXPECT_EQ(judge(identity_graph(), expecting({loose, loose}), outcome, true).verdict, Verdict::Nondeterministic);
}

// As a masked_fill by the sign of a NaN is.
TEST(Judge, WhatMayBeNanMayBeSoInOneOfTwoRuns) {
  Ball either{1, 0, true, false, Undecided::No};
  Outcome outcome = returning(tensor_of(DType::F32, {1, 1}));
  outcome.a_again = outcome.a;
  outcome.a_again->outputs[0].set_double(1, nan);
  EXPECT_EQ(judge(identity_graph(), expecting({either, either}), outcome, true).verdict, Verdict::Match);
  either.may_nan = false;
  EXPECT_EQ(judge(identity_graph(), expecting({either, either}), outcome, true).verdict, Verdict::Mismatch);
}

TEST(Judge, StorageIdentityIsJudgedWhereItIsPromised) {
  const auto expected = expecting({Ball::exact(1), Ball::exact(2)});  // the output is the input's memory
  Outcome outcome = returning(tensor_of(DType::F32, {1, 2}));
  outcome.a->identity = {0, 0};
  EXPECT_EQ(judge(identity_graph(), expected, outcome, true).verdict, Verdict::Match);
  outcome.a->identity = {0, 1};
  const Judgement judgement = judge(identity_graph(), expected, outcome, true);
  EXPECT_EQ(judgement.verdict, Verdict::Mismatch);
  EXPECT_EQ(judgement.divergence->kind, DivergenceKind::Identity);
  EXPECT_EQ(judgement.reason, "A: out[0] x: expected shares the storage of input x, got a storage of its own");
  EXPECT_EQ(judge(identity_graph(), expected, outcome, false).verdict, Verdict::Match);
}

TEST(Judge, WrittenStateThatIsNotHandedBackIsNoMatch) {
  GraphBuilder builder;
  const auto x = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const auto y = builder.call("aten.neg_.default", {*x});
  ASSERT_TRUE(y);
  builder.add_output(*y);
  const Graph graph = builder.take();
  const Judgement judgement =
      judge(graph, expecting({Ball::exact(1), Ball::exact(2)}), returning(tensor_of(DType::F32, {1, 2})), true);
  EXPECT_TRUE(judgement.unobserved);
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
}

TEST(Judge, WhatTheTargetDidBecomesTheVerdict) {
  struct Row {
    Status status;
    Verdict verdict;
    bool finding;
  };
  const Row rows[] = {{Status::Rejected, Verdict::Rejected, false},
                      {Status::Unsupported, Verdict::Unsupported, false},
                      {Status::Error, Verdict::InternalError, true},
                      {Status::Crash, Verdict::Crash, true},
                      {Status::Hang, Verdict::Hang, true}};
  for (const Row& row : rows) {
    Outcome outcome;
    outcome.status = row.status;
    outcome.stage = "lower";
    outcome.kind = "RuntimeError";
    outcome.message = "no";
    const Judgement judgement = judge(identity_graph(), expecting({Ball::exact(1), Ball::exact(2)}), outcome, true);
    EXPECT_EQ(judgement.verdict, row.verdict);
    EXPECT_EQ(judgement.reason, "lower: RuntimeError: no");
    EXPECT_EQ(is_finding(judgement.verdict), row.finding);
  }
}

TEST(Judge, AnErrorWhereEagerMayRaiseTooIsUndecided) {
  ExpectedRuns expected = expecting({Ball::exact(1), Ball::exact(2)});
  expected.a.may_raise = true;
  Outcome outcome;
  outcome.status = Status::Error;
  outcome.stage = "run";
  EXPECT_EQ(judge(identity_graph(), expected, outcome, true).verdict, Verdict::Undecided);
  outcome.stage = "lower";
  EXPECT_EQ(judge(identity_graph(), expected, outcome, true).verdict, Verdict::InternalError)
      << "compiling sees no data";
}

// Two writes to one place leave it open which one stays, and so whether it is an index in range.
TEST(Judge, TheInterpreterSaysWhereEagerMayRaise) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::I64, contiguous_layout({1}));
  const ValueId places = *builder.add_source(SourceKind::Input, "places", DType::I64, contiguous_layout({2}));
  const ValueId put = *builder.call("aten.index_put.default", {x, ValueList{places}, places});
  builder.add_output(*builder.call("aten.index.Tensor", {x, ValueList{put}}));
  const Graph graph = builder.take();
  Tensor doubtful(DType::I64, {2});
  doubtful.set_integer(1, -1);
  const auto open = Interpreter(graph, *find_profile("eager")).run(std::vector{Tensor(DType::I64, {1}), doubtful});
  ASSERT_TRUE(open) << open.error().text();
  EXPECT_TRUE(open->may_raise);
  const auto sure =
      Interpreter(graph, *find_profile("eager")).run(std::vector{Tensor(DType::I64, {1}), Tensor(DType::I64, {2})});
  ASSERT_TRUE(sure) << sure.error().text();
  EXPECT_FALSE(sure->may_raise);
}

TEST(Verdicts, NamesReadBack) {
  for (int v = 0; v < verdict_count; ++v)
    EXPECT_EQ(parse_verdict(name(static_cast<Verdict>(v))), static_cast<Verdict>(v));
  EXPECT_FALSE(parse_verdict("fine"));
}

}  // namespace
}  // namespace parallax
