#include "corpus/element_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "graph/case_json.h"
#include "ops/profiles.h"
#include "oracle/expected_runs.h"

namespace parallax {
namespace {

// x + x of two elements, in floats and in integers.
Case doubled(const std::string& type, const std::string& data) {
  return *parse_case(R"({"parallax": 1, "name": "n", "graph": {"inputs": {"x": {"type": ")" + type +
                     R"("}}, "nodes": [{"out": "a", "op": "aten.add.Tensor", "args": ["%x", "%x"]}], "outputs": ["%a"]},
      "feed": {"x": )" +
                     data + "}}");
}

Tensor of_doubles(DType dtype, std::initializer_list<double> values) {
  Tensor tensor(dtype, Dims{static_cast<int64_t>(values.size())});
  int64_t i = 0;
  for (const double value : values) tensor.set_double(i++, value);
  return tensor;
}

TEST(ElementsTest, EachElementIsHeldAgainstItsBound) {
  const Case test = doubled("f32[2]", "[1, 2.5]");
  const auto expected = expected_runs(*find_profile("eager"), test);
  ASSERT_TRUE(expected);
  Outcome outcome;
  outcome.a.emplace().outputs = {of_doubles(DType::F32, {2, 7})};
  const auto tensors = elements_of_runs(test, *expected, outcome);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors[0].place, (Place{PlaceKind::Output, 0, "a"}));
  EXPECT_EQ(tensors[0].run, RunId{});
  EXPECT_EQ(tensors[0].outside, 1);
  ASSERT_EQ(tensors[0].rows.size(), 2U);
  EXPECT_EQ(tensors[0].rows[0].state, ElementState::Inside);
  EXPECT_EQ(tensors[0].rows[1].index, "[1]");
  EXPECT_EQ(tensors[0].rows[1].expected, "5");
  EXPECT_EQ(tensors[0].rows[1].got, "7");
  EXPECT_EQ(tensors[0].rows[1].state, ElementState::Outside);
}

TEST(ElementsTest, OfTooManyTheWrongOnesAreShown) {
  const Case test = doubled("f32[4]", "[1, 2, 3, 4]");
  const auto expected = expected_runs(*find_profile("eager"), test);
  Outcome outcome;
  outcome.a.emplace().outputs = {of_doubles(DType::F32, {2, 4, 6, 9})};
  const auto tensors = elements_of_runs(test, *expected, outcome, 2);
  ASSERT_EQ(tensors[0].rows.size(), 2U);
  EXPECT_EQ(tensors[0].rows[0].index, "[3]");
  EXPECT_EQ(tensors[0].rows[1].index, "[0]");
  EXPECT_EQ(tensors[0].total, 4);
}

TEST(ElementsTest, AnotherTypeIsSaidAndAMissingOutputToo) {
  const Case test = doubled("i64[2]", "[1, 2]");
  const auto expected = expected_runs(*find_profile("eager"), test);
  Outcome outcome;
  outcome.a.emplace().outputs = {of_doubles(DType::F32, {2, 4})};
  EXPECT_EQ(elements_of_runs(test, *expected, outcome)[0].other, "came as f32[2]");
  outcome.a->outputs.clear();
  EXPECT_EQ(elements_of_runs(test, *expected, outcome)[0].other, "was not handed back");
  EXPECT_TRUE(elements_of_runs(test, *expected, Outcome()).empty());
}

}  // namespace
}  // namespace parallax
