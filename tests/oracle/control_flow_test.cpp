// Branches and loops on the oracle: what they give, and what is known where a predicate is not.
#include "oracle/control_flow.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/ensemble.h"
#include "tests/support/control_case.h"

namespace parallax {
namespace {

using nlohmann::ordered_json;

const Profile& eager() { return *find_profile("eager"); }

Case read(const std::string& text) { return parse_case(text, "case.json").value(); }

Expected run(std::string_view text) {
  const Case test = read(std::string(text));
  return Interpreter(test.graph, eager()).run(test.feed).value();
}

std::vector<double> values(const BallTensor& tensor) {
  std::vector<double> numbers;
  for (const Ball& ball : tensor.balls) numbers.push_back(ball.mid);
  for (const IntegerBall& ball : tensor.integers) numbers.push_back(static_cast<double>(ball.value));
  return numbers;
}

TEST(ControlFlow, ABranchGoesByItsPredicate) {
  EXPECT_EQ(values(run(testing::branch_case).outputs[0]), (std::vector<double>{3, 6}));
  ordered_json other = ordered_json::parse(testing::branch_case);
  other["feed"]["p"] = {false};
  EXPECT_EQ(values(run(other.dump()).outputs[0]), (std::vector<double>{2, 4}));
}

// Two runs of one program may go different ways.
TEST(ControlFlow, APredicateOfMemoryThatNobodyWroteDecidesNothing) {
  ordered_json open = ordered_json::parse(testing::branch_case);
  ordered_json& nodes = open["graph"]["nodes"];
  const ordered_json unwritten =
      ordered_json::parse(R"({"out": "e", "op": "aten.empty_like.default", "args": ["%p"]})");
  nodes.insert(nodes.begin(), unwritten);
  nodes[1]["args"][0] = "%e";
  const Expected expected = run(open.dump());
  EXPECT_TRUE(expected.may_raise);
  for (const Ball& ball : expected.outputs[0].balls) EXPECT_EQ(ball.undecided, Undecided::Uninitialized);
}

TEST(ControlFlow, ALoopCarriesAllAtOnce) {
  const Expected expected = run(testing::loop_case);
  EXPECT_EQ(values(expected.outputs[0]), std::vector<double>{3});
  EXPECT_EQ(values(expected.outputs[1]), (std::vector<double>{2, 4}));
  EXPECT_EQ(values(expected.outputs[2]), (std::vector<double>{3.5, 7}));
}

TEST(ControlFlow, ALoopOfNoStepsReturnsWhatItWasGiven) {
  ordered_json none = ordered_json::parse(testing::loop_case);
  none["feed"]["n"] = {0};
  EXPECT_EQ(values(run(none.dump()).outputs[1]), (std::vector<double>{1, 2}));
}

TEST(ControlFlow, ALoopPastItsBoundIsRefused) {
  ordered_json endless = ordered_json::parse(testing::loop_case);
  endless["feed"]["n"] = {100};
  const Case test = read(endless.dump());
  const Result<Expected> expected = Interpreter(test.graph, eager()).run(test.feed);
  ASSERT_FALSE(expected);
  EXPECT_EQ(expected.error().pointer, "/graph/nodes/1");
  EXPECT_EQ(expected.error().reason, "the loop takes more than 9 steps");
}

// It is asked once more than there are steps, and the body sees what it wrote.
TEST(ControlFlow, AConditionWritesToItsClosures) {
  const Case test = read(std::string(testing::counting_condition_case));
  const Expected expected = Interpreter(test.graph, eager()).run(test.feed).value();
  EXPECT_EQ(values(expected.outputs[0]), (std::vector<double>{132, 264}));
  EXPECT_EQ(values(expected.outputs[1]), std::vector<double>{26});
  EXPECT_EQ(values(expected.buffers[0]), std::vector<double>{13});
}

TEST(ControlFlow, AScanStacksWhatIsNoCarryAndWritesItsClosure) {
  const Expected expected = run(testing::scan_case);
  EXPECT_EQ(values(expected.outputs[0]), (std::vector<double>{9.5, 12.25}));
  EXPECT_EQ(values(expected.outputs[1]), (std::vector<double>{1.5, 4.5, 18, 37.5, 85.5, 147}));
  EXPECT_EQ(values(expected.buffers[0]), (std::vector<double>{9, 12}));
}

TEST(ControlFlow, AMapTakesSlices) {
  EXPECT_EQ(values(run(testing::map_case).outputs[0]), (std::vector<double>{0.5, 4, 1.5, 8, 2.5, 12}));
}

// sin(x) * sin(x) + cos(x) * cos(x) may be 1, or one unit below it.
ordered_json undecided_branch() {
  ordered_json json = ordered_json::parse(testing::branch_case);
  json["graph"]["inputs"].erase("p");
  json["feed"].erase("p");
  json["graph"]["nodes"].insert(json["graph"]["nodes"].begin(),
                                {{{"out", "s"}, {"op", "aten.sin.default"}, {"args", {"%x"}}},
                                 {{"out", "ss"}, {"op", "aten.mul.Tensor"}, {"args", {"%s", "%s"}}},
                                 {{"out", "c"}, {"op", "aten.cos.default"}, {"args", {"%x"}}},
                                 {{"out", "cc"}, {"op", "aten.mul.Tensor"}, {"args", {"%c", "%c"}}},
                                 {{"out", "one"}, {"op", "aten.add.Tensor"}, {"args", {"%ss", "%cc"}}},
                                 {{"out", "less"}, {"op", "aten.lt.Scalar"}, {"args", {"%one", 1}}},
                                 {{"out", "p"}, {"op", "aten.any.default"}, {"args", {"%less"}}}});
  return json;
}

TEST(ControlFlow, AnUndecidedPredicateGivesTheHullOfBothBranches) {
  const BallTensor result = run(undecided_branch().dump()).outputs[0];
  for (std::size_t i = 0; i < 2; ++i) {
    const double x = i == 0 ? 1 : 2;
    ASSERT_TRUE(result.balls[i].decided());
    EXPECT_LE(result.balls[i].low(), 2 * x);
    EXPECT_GE(result.balls[i].high(), 3 * x);
    EXPECT_LE(result.balls[i].high(), 3.001 * x);
  }
}

// -81 + 2147483648 is one of two floats, and the predicate hangs on which.
TEST(ControlFlow, AnUndecidedPredicateGivesTheHullOfAnIntervalAndAnInteger) {
  const Expected expected = run(R"({"parallax": 1, "name": "interval", "requires": ["subgraphs", "quantized"],
    "graph": {"inputs": {"x": {"type": "f32[1]"}, "y": {"type": "i32[1]"}}, "nodes": [
      {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default",
       "args": ["%x", 0.0371, 2147483647, -2147483648, 2147483647, "i32"]},
      {"out": "c", "op": "aten.lt.Scalar", "args": ["%q", -1]},
      {"out": "p", "op": "aten.all.default", "args": ["%c"]},
      {"out": "e", "op": "cond", "args": ["%p", {"graph": "then"}, {"graph": "else"}, ["%q", "%y"]]},
      {"out": "e0", "op": "getitem", "args": ["%e", 0]}], "outputs": ["%q", "%e0"],
      "subgraphs": {
        "then": {"inputs": {"a": {"type": "i32[1]"}, "b": {"type": "i32[1]"}}, "nodes": [], "outputs": ["%a"]},
        "else": {"inputs": {"a": {"type": "i32[1]"}, "b": {"type": "i32[1]"}}, "nodes": [], "outputs": ["%b"]}}},
    "feed": {"x": [-3], "y": [0]}})");
  ASSERT_TRUE(expected.outputs[0].integers[0].is_interval());
  const IntegerBall result = expected.outputs[1].integers[0];
  EXPECT_LE(result.lowest(), 0);
  EXPECT_GE(result.highest(), expected.outputs[0].integers[0].highest());
}

TEST(ControlFlow, ALegalRunTakesOneOfTheBranches) {
  const Case test = read(undecided_branch().dump());
  ExpectedRuns expected = *expected_runs(eager(), test);
  ASSERT_TRUE(add_spreads(eager(), test, first_look_members, expected));
  const double value = expected.a.outputs[0].spreads[0].value;
  EXPECT_TRUE(value == 2 || value == 3) << value;
}

// A comparison with what is within rounding of the carry: the loop may stop after any of its steps from then on.
TEST(ControlFlow, ALoopThatMayStopGivesTheHullOfWhereItMay) {
  ordered_json json = ordered_json::parse(testing::loop_case);
  json["graph"]["subgraphs"]["condition"]["nodes"] = {
      {{"out", "d"}, {"op", "aten.sin.default"}, {"args", {"%u"}}},
      {{"out", "e"}, {"op", "aten.sin.default"}, {"args", {"%v"}}},
      {{"out", "f"}, {"op", "aten.le.Tensor"}, {"args", {"%d", "%e"}}},
      {{"out", "g"}, {"op", "aten.all.default"}, {"args", {"%f"}}},
      {{"out", "h"}, {"op", "aten.lt.Tensor"}, {"args", {"%i", "%m"}}},
      {{"out", "c"}, {"op", "aten.logical_and.default"}, {"args", {"%g", "%h"}}}};
  json["graph"]["subgraphs"]["body"]["outputs"] = {"%k", "%u", "%v"};
  json["feed"]["w"] = json["feed"]["x"];
  const Expected expected = run(json.dump());
  const IntegerBall steps = expected.outputs[0].integers[0];
  // sin(u) <= sin(v) on one number of two tensors is decided by nothing: 0, 1, 2 or 3 steps.
  EXPECT_NE(steps.undecided, Undecided::No);
  EXPECT_EQ(values(expected.outputs[1]), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace parallax
