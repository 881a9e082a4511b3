// The target "portable": the judging protocol, what its memory shows, and what it explains.
#include "backends/runtime/compiled_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "fuzz/generate/generate.h"
#include "graph/second_feed.h"
#include "tests/support/golden.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using testing::case_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<Target> target(std::vector<std::string> faults = {}, DetectorSet detect = {}) {
  CompiledTargetOptions options;
  options.faults = FaultSet::of(faults).value();
  options.detect = detect;
  return make_compiled_target("portable", options).value();
}

std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.get_double(i));
  return values;
}

// The report ExecuTorch #20257 (corpus/cases/seeds/s1-clone.json), its two chains in the order that lets a slot be used
// again.
Case report_case(const std::string& copy) {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "n0", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "n1", )" +
                     copy + R"(},
      {"out": "n2", "op": "aten.acosh.default", "args": ["%n1"]},
      {"out": "out1", "op": "aten._to_copy.default", "args": ["%n2"], "kwargs": {"dtype": "f16"}},
      {"out": "n3", "op": "aten.acos.default", "args": ["%n0"]},
      {"out": "n4", "op": "aten._to_copy.default", "args": ["%n3"], "kwargs": {"dtype": "f16"}},
      {"out": "out0", "op": "aten.prod.default", "args": ["%n4"]}
    ],
    "outputs": ["%out0", "%out1"]})",
                 R"({"x": [-0.4824913740158081, 1.1103534698486328]})");
}

TEST(Portable, IsRightOnTheReportsGraphAndItsControl) {
  for (const char* copy :
       {R"("op": "aten.lift_fresh_copy.default", "args": ["%n0"])", R"("op": "aten.clone.default", "args": ["%n0"])",
        R"("op": "aten.add.Scalar", "args": ["%n0", 0.0])"}) {
    SCOPED_TRACE(copy);
    const Examination examination = examine(*target(), report_case(copy));
    EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
    EXPECT_NEAR(examination.outcome.a->outputs[0].get_double(0), 0.848, 1e-3);
  }
}

TEST(Portable, F01MakesWrongNumbersReachTheOutputs) {
  const Case test = testing::elided_copy_case();
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
  const Examination faulty = examine(*target({"F01"}), test);
  EXPECT_EQ(faulty.outcome.status, Status::Ok) << "the program runs to its end";
  EXPECT_EQ(faulty.judgement.verdict, Verdict::Mismatch) << faulty.judgement.reason;
  // d + d instead of d + a.
  const std::vector<double> d = {-1.4585, -2.2652};
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(faulty.outcome.a->outputs[0].get_double(i), 2 * d[static_cast<std::size_t>(i)], 1e-3);
}

TEST(Portable, ExplainsF01WithTheAnnotatedSchedule) {
  std::string text;
  for (const Diagnosis& diagnosis : target({"F01"})->explain(testing::elided_copy_case())) {
    text += std::string(name(diagnosis.detector)) + ": " + diagnosis.summary + "\n";
    for (const std::string& line : diagnosis.lines) text += "  " + line + "\n";
  }
  expect_golden(text, "portable_explains_f01.txt");
}

TEST(Portable, ExplainsASoundRunByItsPassesOnly) {
  const std::vector<Diagnosis> diagnoses = target()->explain(testing::elided_copy_case());
  ASSERT_EQ(diagnoses.size(), 1U);
  EXPECT_EQ(diagnoses[0].summary, "every pass keeps the meaning");
}

TEST(Portable, AReturnedAliasInAReusedSlotIsSeenWhenItIsReadAgain) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "b", "op": "aten.view.default", "args": ["%a", [2, 1]]}],
    "outputs": ["%b"]})",
                            R"({"x": [1, 2]})");
  const std::vector<Tensor> second = second_feed(test);
  const Outcome sound = target()->run(test, &second);
  EXPECT_EQ(sound.a_kept, sound.a->outputs);
  const Outcome faulty = target({"F01"})->run(test, &second);
  EXPECT_THAT(elements(faulty.a->outputs[0]), ElementsAre(-1, -2)) << "right while nobody runs again";
  EXPECT_NE(faulty.a_kept, faulty.a->outputs);
  EXPECT_EQ(examine(*target({"F01"}), test).judgement.verdict, Verdict::Mismatch);
}

TEST(Portable, AReturnedAliasOfALaterRunIsReadAgainToo) {
  Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "b", "op": "aten.view.default", "args": ["%a", [2, 1]]}],
    "outputs": ["%b"]})",
                      R"({"x": [1, 2]})");
  for (int run = 0; run < 3; ++run) {
    test.later.push_back({});
    test.later.back().feed = second_feed(test);
    for (int i = 0; i < 2; ++i) test.later.back().feed[0].set_double(i, run + 4);
  }
  const Outcome sound = target()->run(test, nullptr);
  ASSERT_EQ(sound.later_kept.size(), 2U);
  for (std::size_t run = 0; run < 2; ++run) EXPECT_EQ(sound.later_kept[run], sound.later[run].outputs) << run;
  const Outcome faulty = target({"F01"})->run(test, nullptr);
  EXPECT_EQ(faulty.later[0].outputs, sound.later[0].outputs) << "right while nobody runs again";
  EXPECT_NE(faulty.later_kept[0], faulty.later[0].outputs);
}

TEST(Portable, DetectorsRaiseAFindingOnlyWhereAsked) {
  const Case test = testing::elided_copy_case();
  EXPECT_EQ(target({"F01"})->run(test, nullptr).status, Status::Ok);
  const Outcome plan = target({"F01"}, {Detector::Plan})->run(test, nullptr);
  EXPECT_EQ(plan.status, Status::Error);
  EXPECT_EQ(plan.kind, "PlanChecker");
  EXPECT_THAT(plan.message, HasSubstr("its alias b"));
  const Outcome sanitizer = target({"F01"}, {Detector::Sanitizer})->run(test, nullptr);
  EXPECT_EQ(sanitizer.kind, "ArenaSanitizer");
  EXPECT_EQ(sanitizer.message, plan.message) << "both name the same bytes, value, writer and reader";
  EXPECT_EQ(target({"F01"}, {Detector::Passes})->run(test, nullptr).status, Status::Ok) << "F01 is not in a pass";
  const DetectorSet all = {Detector::Plan, Detector::Sanitizer, Detector::Passes};
  EXPECT_EQ(target({}, all)->run(test, nullptr).status, Status::Ok);
}

TEST(Portable, CarriesBuffersFromRunToRunAndStartsAFreshInstanceAnew) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "buffers": {"total": {"type": "f32[2]", "data": [10, 20]}},
    "nodes": [{"out": "w", "op": "aten.add_.Tensor", "args": ["%total", "%x"]},
              {"out": "y", "op": "aten.neg.default", "args": ["%total"]}],
    "outputs": ["%y"]})",
                            R"({"x": [1, 2]})");
  std::vector<Tensor> second = test.feed;
  second[0].set_double(0, 100);
  const Outcome outcome = target()->run(test, &second);
  EXPECT_THAT(elements(outcome.a->buffers[0].value()), ElementsAre(11, 22));
  EXPECT_THAT(elements(outcome.b->buffers[0].value()), ElementsAre(111, 24));
  EXPECT_THAT(elements(outcome.b->outputs[0]), ElementsAre(-111, -24));
  EXPECT_THAT(elements(outcome.a_again->buffers[0].value()), ElementsAre(11, 22));
}

TEST(Portable, TellsWhichOutputsShareMemory) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}, "y": {"type": "f32[2]"}},
    "buffers": {"s": {"type": "f32[2]", "data": [0, 0]}},
    "nodes": [{"out": "w", "op": "aten.add_.Tensor", "args": ["%y", "%x"]},
              {"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "v", "op": "aten.select.int", "args": ["%a", 0, 1]},
              {"out": "c", "op": "aten.clone.default", "args": ["%a"]},
              {"out": "f", "op": "aten.fill_.Scalar", "args": ["%c", 3]},
              {"out": "g", "op": "aten.select.int", "args": ["%f", 0, 0]},
              {"out": "t", "op": "aten.alias.default", "args": ["%s"]}],
    "outputs": ["%w", "%a", "%v", "%c", "%g", "%t", "%a"]})",
                            R"({"x": [1, 2], "y": [3, 4]})");
  const Outcome outcome = target()->run(test, nullptr);
  EXPECT_THAT(outcome.a->identity, ElementsAre(0, 1, 2, /*w*/ 1, /*a*/ 3, /*v*/ 3, /*c*/ 4, /*g*/ 4, /*t*/ 2, /*a*/ 3));
  EXPECT_EQ(examine(*target(), test).judgement.verdict, Verdict::Match);
}

TEST(Portable, SaysWhatTheDataMadeAnOpRaise) {
  const Case test = case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}, "i": {"type": "i64[1]"}},
    "nodes": [{"out": "y", "op": "aten.index_select.default", "args": ["%x", 0, "%i"]}],
    "outputs": ["%y"]})",
                            R"({"x": [1, 2], "i": [2]})");
  const Outcome outcome = target()->run(test, nullptr);
  EXPECT_EQ(outcome.status, Status::Error);
  EXPECT_EQ(outcome.stage, "run");
  EXPECT_THAT(outcome.message, HasSubstr("y (aten.index_select.default): index 2 is out of range"));
}

TEST(Portable, MatchesTheOracleOnGeneratedCases) {
  const std::unique_ptr<Target> portable = target();
  for (uint64_t stream = 0; stream < 500; ++stream) {
    Choices choices(5, stream);
    const Case test = generate(choices, testing::portable_options());
    const Examination examination = examine(*portable, test);
    // Too much for the oracle, such as a polynomial of a vast degree: it names the node.
    const bool declined = examination.judgement.verdict == Verdict::Unsupported &&
                          examination.judgement.reason.starts_with("/graph/nodes");
    EXPECT_TRUE(examination.judgement.verdict == Verdict::Match ||
                examination.judgement.verdict == Verdict::Undecided ||
                examination.judgement.verdict == Verdict::ReferenceRefused || declined)
        << "seed 5, stream " << stream << ": " << name(examination.judgement.verdict) << ": "
        << examination.judgement.reason;
  }
}

TEST(Portable, RefusesAPlanOverTheLimitThatItsNameStates) {
  const Case test = case_of(R"({"inputs": {"x": {"type": "f32[3]"}},
    "nodes": [{"out": "y", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "z", "op": "aten.exp.default", "args": ["%y"]}], "outputs": ["%z"]})",
                            R"({"x": [1, 2, 3]})");
  EXPECT_EQ(open_target("portable?arena-limit=12", {}).value()->run(test, nullptr).status, Status::Ok);
  const Outcome refused = open_target("portable?arena-limit=11", {}).value()->run(test, nullptr);
  EXPECT_EQ(refused.status, Status::Unsupported);
  EXPECT_NE(refused.message.find("node 'y'"), std::string::npos) << refused.message;
  EXPECT_FALSE(open_target("portable?arena-limit=none", {}));
  EXPECT_FALSE(open_target("portable?arena-limit=0", {}));
}

// Of index_add and its kin only index_fill takes what is negative.
TEST(Portable, CountsIndicesFromTheEndWhereEagerDoes) {
  const std::string graph = R"({"inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[1]"}, "s": {"type": "f32[1]"}},
    "nodes": [{"out": "y", "op": "aten.OP.default", "args": ["%x", 0, "%i", "%s"]}], "outputs": ["%y"]})";
  const std::unique_ptr<Target> portable = open_target("portable", {}).value();
  for (const char* op : {"index_add", "index_copy"}) {
    std::string named = graph;
    named.replace(named.find("OP"), 2, op);
    const Outcome refused = portable->run(case_of(named, R"({"x": [1, 2, 3], "i": [-1], "s": [4]})"), nullptr);
    EXPECT_THAT(refused.message, HasSubstr("index -1 is out of range for a dim of size 3")) << op;
  }
  const Case fill = case_of(R"({"inputs": {"x": {"type": "f32[3]"}, "i": {"type": "i64[1]"}},
    "nodes": [{"out": "y", "op": "aten.index_fill.int_Scalar", "args": ["%x", 0, "%i", 4]}], "outputs": ["%y"]})",
                            R"({"x": [1, 2, 3], "i": [-1]})");
  const Outcome filled = portable->run(fill, nullptr);
  ASSERT_EQ(filled.status, Status::Ok) << filled.message;
  EXPECT_EQ(filled.a->outputs.front().get_double(2), 4);
}

// With F01 planted, whatever the values show the two memory detectors can name; without it they are silent.
TEST(Portable, TheDetectorsAgreeWithTheValuesOnGeneratedCases) {
  const DetectorSet memory = {Detector::Plan, Detector::Sanitizer};
  const std::unique_ptr<Target> sound = target({}, memory);
  const std::unique_ptr<Target> faulty = target({"F01"});
  const std::unique_ptr<Target> planned = target({"F01"}, {Detector::Plan});
  const std::unique_ptr<Target> watched = target({"F01"}, {Detector::Sanitizer});
  int mismatches = 0;
  int seen_by_sanitizer = 0;
  for (uint64_t stream = 0; stream < 200; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 6, stream " << stream);
    Choices choices(6, stream);
    const Case test = generate(choices, testing::portable_options());
    const Judgement judgement = examine(*faulty, test).judgement;
    if (judgement.verdict == Verdict::ReferenceRefused) continue;  // a drawn index is out of range
    const Outcome outcome = sound->run(test, nullptr);
    EXPECT_EQ(outcome.status, Status::Ok) << outcome.message;
    const bool seen = watched->run(test, nullptr).raised_by == Detector::Sanitizer;
    seen_by_sanitizer += seen;
    if (judgement.verdict != Verdict::Mismatch) continue;
    ++mismatches;
    EXPECT_EQ(planned->run(test, nullptr).raised_by, Detector::Plan);
    EXPECT_TRUE(seen || judgement.divergence->run.kind != RunKind::A) << judgement.reason;
  }
  EXPECT_GT(mismatches, 20);
  EXPECT_GT(seen_by_sanitizer, 20);
}

}  // namespace
}  // namespace parallax
