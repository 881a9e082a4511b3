// Sizes that data decide, from the case file to the verdict on the target "portable".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/counts.h"
#include "graph/sketch.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "tests/support/portable_ops.h"

namespace parallax {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of x, what is above 0, the places of that and its sum, in runs where there are four, none and two of it.
constexpr const char* selected_json = R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols", "counts"],
  "symbols": {"B": [1, 4], "N": [0, 8]}, "graph": {
    "inputs": {"x": {"type": "f32[B,2]"}},
    "nodes": [{"out": "m", "op": "aten.gt.Scalar", "args": ["%x", 0]},
              {"out": "k", "op": "aten.masked_select.default", "args": ["%x", "%m"], "count": "N"},
              {"out": "p", "op": "aten.nonzero.default", "args": ["%m"], "count": "N"},
              {"out": "i", "op": "aten.index.Tensor", "args": ["%x", ["%m"]], "count": "N"},
              {"out": "v", "op": "aten.view.default", "args": ["%k", ["$N", 1]]},
              {"out": "e", "op": "aten.mul.Tensor", "args": ["%k", "%i"]},
              {"out": "s", "op": "aten.sum.dim_IntList", "args": ["%e", [0]]}],
    "outputs": ["%p", "%v", "%s"]},
  "runs": [{"feed": {"x": {"type": "f32[3,2]", "data": [1, -1, 2, -2, 3, 4]}}, "counts": {"N": 4}},
           {"feed": {"x": {"type": "f32[1,2]", "data": [-1, 0]}}, "counts": {"N": 0}},
           {"feed": {"x": {"type": "f32[2,2]", "data": [-1, 5, 6, -2]}}, "counts": {"N": 2}}]})";

// Of x, the different elements in order, where each went and how often it comes, and as many places.
constexpr const char* different_json = R"({"parallax": 1, "name": "t", "requires": ["counts"], "graph": {
    "inputs": {"x": {"type": "i64[4]"}},
    "nodes": [{"out": "u", "op": "aten._unique2.default", "args": ["%x", true, true, true], "count": 3},
              {"out": "a", "op": "getitem", "args": ["%u", 0]}, {"out": "b", "op": "getitem", "args": ["%u", 1]},
              {"out": "c", "op": "getitem", "args": ["%u", 2]},
              {"out": "r", "op": "aten.repeat_interleave.Tensor", "args": ["%c"], "count": 4}],
    "outputs": ["%a", "%b", "%c", "%r"]},
  "feed": {"x": [3, 1, 3, -2]}})";

Case read(std::string text, std::string_view from = "", std::string_view to = "") {
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  Result<Case> test = parse_case(text);
  EXPECT_TRUE(test) << test.error().text();
  return test.value();
}

std::string refusal(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  const Result<Case> test = parse_case(text);
  return test ? "" : test.error().text();
}

Examination examined(const Case& test) { return examine(*make_compiled_target("portable", {}).value(), test); }

std::vector<int64_t> integers(const Tensor& tensor) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.get_integer(i));
  return values;
}

TEST(CountedSizes, AreThoseOfEachRun) {
  const Case test = read(selected_json);
  EXPECT_EQ(to_json(parse_case(to_json(test)).value()), to_json(test));
  const Examination examination = examined(test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  const Outcome& outcome = examination.outcome;
  EXPECT_THAT(integers(outcome.a->outputs[0]), ElementsAre(0, 0, 1, 0, 2, 0, 2, 1));
  EXPECT_EQ(outcome.a->outputs[2].get_double(0), 30);
  EXPECT_EQ(outcome.later[0].outputs[0].sizes, (Dims{0, 2}));
  EXPECT_EQ(outcome.later[1].outputs[1].sizes, (Dims{2, 1}));
  EXPECT_EQ(outcome.later[1].outputs[2].get_double(0), 61);
}

TEST(CountedSizes, OfOneRunAreNumbers) {
  const Case test = read(different_json);
  EXPECT_EQ(to_json(parse_case(to_json(test)).value()), to_json(test));
  const Examination examination = examined(test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  const std::vector<Tensor>& outputs = examination.outcome.a->outputs;
  EXPECT_THAT(integers(outputs[0]), ElementsAre(-2, 1, 3));
  EXPECT_THAT(integers(outputs[1]), ElementsAre(2, 1, 2, 0));
  EXPECT_THAT(integers(outputs[2]), ElementsAre(1, 1, 2));
  EXPECT_THAT(integers(outputs[3]), ElementsAre(0, 1, 2, 2));
}

TEST(CountedSizes, ThatTheDataDoNotMakeAreRefused) {
  const Case test = read(selected_json, R"("counts": {"N": 2})", R"("counts": {"N": 3})");
  const Result<ExpectedRuns> expected = expected_runs(*find_profile("eager"), test);
  ASSERT_FALSE(expected);
  EXPECT_EQ(expected.error().reason, "aten.masked_select.default: the data make it 2, and the case says 3");
}

// The square root of 2 times itself is 2 or not, and so is the mask.
TEST(CountedSizes, ThatAreNotKnownLeaveTheCaseUndecided) {
  const Case test = read(R"({"parallax": 1, "name": "t", "requires": ["counts"], "graph": {
      "inputs": {"x": {"type": "f32[2]"}},
      "nodes": [{"out": "r", "op": "aten.sqrt.default", "args": ["%x"]},
                {"out": "q", "op": "aten.mul.Tensor", "args": ["%r", "%r"]},
                {"out": "m", "op": "aten.ge.Tensor", "args": ["%q", "%x"]},
                {"out": "k", "op": "aten.masked_select.default", "args": ["%x", "%m"], "count": 2}],
      "outputs": ["%k", "%x"]}, "feed": {"x": [2, 3]}})");
  const Judgement judgement = examined(test).judgement;
  EXPECT_EQ(judgement.verdict, Verdict::Undecided);
  EXPECT_THAT(judgement.reason, HasSubstr("aten.masked_select.default: a size hangs on data"));
}

TEST(CountedSizes, BadInputIsOneLine) {
  const std::string text = selected_json;
  EXPECT_THAT(refusal(text, R"(, "counts": {"N": 0}})", "}"), HasSubstr("\"counts\" does not say what N is"));
  EXPECT_THAT(refusal(text, R"({"N": 2})", R"({"N": 9})"), HasSubstr("N is 9, outside [0, 8]"));
  EXPECT_THAT(refusal(text, R"({"N": 2})", R"({"N": 2, "B": 2})"), HasSubstr("'B' is no symbol of a count"));
  EXPECT_THAT(refusal(text, R"(, "counts"],)", "],"), HasSubstr("must name 'counts' in \"requires\""));
  EXPECT_THAT(refusal(text, R"("count": "N")", R"("count": "M")"), HasSubstr("no symbol is named 'M'"));
  EXPECT_THAT(refusal(text, R"("count": "N")", R"("count": "B")"),
              HasSubstr("'B' is a size of an input, and so no count"));
  EXPECT_THAT(refusal(text, R"(["%x", 0]})", R"(["%x", 0], "count": 3})"),
              HasSubstr("no size of aten.gt.Scalar hangs on its data"));
  EXPECT_THAT(refusal(different_json, R"(, "count": 4)", ""), HasSubstr("is not supported without a \"count\""));
}

// A part that goes takes its count along.
TEST(CountedSizes, OutliveASketch) {
  const Case test = read(selected_json);
  Sketch sketch = take_apart(test);
  const std::optional<Case> same = put_together(sketch, test);
  ASSERT_TRUE(same);
  EXPECT_EQ(to_json(*same), to_json(test));
  sketch.nodes.resize(1);
  sketch.outputs = {sketch.nodes.front().results.front()};
  const std::optional<Case> less = put_together(sketch, test);
  ASSERT_TRUE(less);
  ASSERT_EQ(less->symbols.list.size(), 1U);
  EXPECT_EQ(less->symbols.list.front().name, "B");
}

TEST(CountedSizes, AreDrawn) {
  const auto target = make_compiled_target("portable", {}).value();
  GenerateOptions options = testing::portable_options();
  options.profile = GenerateProfile::Dynamic;
  int drawn = 0;
  for (uint64_t stream = 0; stream < 60; ++stream) {
    Choices choices(4, stream);
    const Case test = generate(choices, options);
    if (!holds_counts(test.graph)) continue;
    ++drawn;
    EXPECT_EQ(to_json(parse_case(to_json(test)).value()), to_json(test)) << stream;
    const Judgement judgement = examine(*target, test).judgement;
    EXPECT_FALSE(is_finding(judgement.verdict)) << stream << ": " << judgement.reason;
  }
  EXPECT_GT(drawn, 5);
}

}  // namespace
}  // namespace parallax
