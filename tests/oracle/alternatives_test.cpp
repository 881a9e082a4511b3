// Alternatives: an element that is one of two numbers and nothing between, and what forgets it.
#include "oracle/alternatives.h"

#include <gtest/gtest.h>

#include "ops/profiles.h"
#include "oracle/expected_runs.h"
#include "oracle/judge_case.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;

// 2 texels become 6: a third of 3 is 1, or a little less, as it is rounded.
Case resize_of(const std::string& dtype, const std::string& op, const std::string& after, const std::string& output) {
  return case_of(R"({"inputs": {"x": {"type": ")" + dtype + R"([1,1,2]"}},
    "nodes": [{"out": "y", "op": "aten.)" +
                     op + R"(", "args": ["%x", [6]]})" + after + R"(], "outputs": ["%)" + output + R"("]})",
                 R"({"x": [10, 20]})");
}

Verdict verdict_of(const Case& test, const std::vector<double>& numbers, std::string_view name = "eager") {
  const Profile& profile = *find_profile(name);
  const ExpectedRuns expected = expected_runs(profile, test).value();
  const BallTensor& wanted = expected.a.outputs[0];
  Tensor got(wanted.dtype, wanted.sizes);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    is_floating(got.dtype) ? got.set_double(at, numbers[i]) : got.set_integer(at, static_cast<int64_t>(numbers[i]));
  }
  Outcome outcome;
  outcome.a.emplace();
  outcome.a->inputs.resize(1);
  outcome.a->outputs.push_back(std::move(got));
  return judge_case(profile, test, expected, outcome, false).verdict;
}

TEST(Alternatives, EitherTexelAtATieIsRightAndNothingBetween) {
  for (const std::string dtype : {"f32", "f16", "f64", "u8"}) {
    const Case test = resize_of(dtype, "upsample_nearest1d.default", "", "y");
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 10, 20, 20}), Verdict::Match) << dtype;
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 20, 20, 20}), Verdict::Match) << dtype;
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 15, 20, 20}), Verdict::Mismatch) << dtype;
    EXPECT_EQ(verdict_of(test, {10, 10, 20, 20, 20, 20}), Verdict::Mismatch) << dtype << ": no tie";
  }
}

// From the centre the texels of 6 places are at (i + 1/2) / 3, of which none is 1.
TEST(Alternatives, ThereAreNoneFromTheCentres) {
  const Case test = resize_of("f32", "_upsample_nearest_exact1d.default", "", "y");
  EXPECT_EQ(verdict_of(test, {10, 10, 10, 20, 20, 20}), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {10, 10, 10, 10, 20, 20}), Verdict::Mismatch) << "7/6 is not near 1";
}

TEST(Alternatives, AreSeenThroughViews) {
  const Case test = resize_of("f32", "upsample_nearest1d.default",
                              R"(, {"out": "z", "op": "aten.select.int", "args": ["%y", 2, 3]})", "z");
  EXPECT_EQ(verdict_of(test, {10}), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {20}), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {15}), Verdict::Mismatch);
}

TEST(Alternatives, AreCopied) {
  for (const std::string copy :
       {R"("op": "aten.clone.default", "args": ["%y"])", R"("op": "aten.squeeze_copy.default", "args": ["%y"])",
        R"("op": "aten.cat.default", "args": [["%y"], 2])",
        R"("op": "aten._to_copy.default", "args": ["%y"], "kwargs": {"dtype": "f64"})",
        R"("op": "aten.constant_pad_nd.default", "args": ["%y", [0, 0]])"}) {
    const Case test = resize_of("f32", "upsample_nearest1d.default", R"(, {"out": "z", )" + copy + "}", "z");
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 10, 20, 20}), Verdict::Match) << copy;
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 20, 20, 20}), Verdict::Match) << copy;
    EXPECT_EQ(verdict_of(test, {10, 10, 10, 15, 20, 20}), Verdict::Mismatch) << copy;
    EXPECT_EQ(verdict_of(test, {10, 10, 20, 20, 20, 20}), Verdict::Mismatch) << copy << ": no tie";
  }
}

// A reshape copies what has no such view: both rows of an expanded element.
TEST(Alternatives, AreCopiedByAReshape) {
  const std::string reshaped = R"(, {"out": "e", "op": "aten.expand.default", "args": ["%y", [2, 1, 6]]},
      {"out": "z", "op": "aten.reshape.default", "args": ["%e", [12]]})";
  const Case test = resize_of("f32", "upsample_nearest1d.default", reshaped, "z");
  EXPECT_EQ(verdict_of(test, {10, 10, 10, 10, 20, 20, 10, 10, 10, 10, 20, 20}), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {10, 10, 10, 20, 20, 20, 10, 10, 10, 20, 20, 20}), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {10, 10, 10, 15, 20, 20, 10, 10, 10, 15, 20, 20}), Verdict::Mismatch);
}

// A copy over part of an operand is a write: what it wrote has the hull.
TEST(Alternatives, AreNotCopiedInPlace) {
  const std::string copied = R"(, {"out": "w", "op": "aten.clone.default", "args": ["%y"]},
      {"out": "z", "op": "aten.copy_.default", "args": ["%w", "%y"]})";
  const Case test = resize_of("f32", "upsample_nearest1d.default", copied, "z");
  EXPECT_TRUE(expected_runs(*find_profile("eager"), test).value().a.outputs[0].alternatives.empty());
}

// What reads the element computes with the hull, and what is written over it has none.
TEST(Alternatives, GoNoFurtherThanTheElement) {
  const std::string added = R"(, {"out": "z", "op": "aten.add_.Scalar", "args": ["%y", 1]})";
  const Case written = resize_of("f32", "upsample_nearest1d.default", added, "z");
  const ExpectedRuns expected = expected_runs(*find_profile("eager"), written).value();
  EXPECT_TRUE(expected.a.outputs[0].alternatives.empty());
  EXPECT_NE(verdict_of(written, {11, 11, 11, 15, 21, 21}), Verdict::Mismatch);
  EXPECT_EQ(verdict_of(written, {11, 11, 11, 22, 21, 21}), Verdict::Mismatch);
}

// Quantized by 0.5, exactly at the tie of 5 and 6 where the sum is: the sum of tenths is on either side of it.
Case dequantized(const std::string& op, const std::string& parameters) {
  const Result<Case> test = parse_case(
      R"({"parallax": 1, "name": "t", "requires": ["quantized"], "graph": {"inputs": {"x": {"type": "f32[2]"}},
    "constants": {"s": {"type": "f32[2]", "data": [0.5, 0.5]}, "z": {"type": "i64[2]", "data": [0, 0]}}, "nodes": [
    {"out": "a", "op": "aten.add.Scalar", "args": ["%x", 0.1]},
    {"out": "q", "op": "quantized_decomposed.quantize_per_tensor.default", "args": ["%a", 0.5, 0, -128, 127, "i8"]},
    {"out": "y", "op": "quantized_decomposed.)" +
      op + R"(", "args": ["%q", )" + parameters +
      R"(, -128, 127, "i8"]}], "outputs": ["%y"]}, "feed": {"x": [2.65, 7]}})");
  EXPECT_TRUE(test.has_value()) << test.error().text();
  return test.value();
}

TEST(Alternatives, OneStepOrTheOtherIsRightWhereATieIsDequantizedAndNothingBetween) {
  for (const Case& test : {dequantized("dequantize_per_tensor.default", "0.5, 0"),
                           dequantized("dequantize_per_channel.default", R"("%s", "%z", 0)")}) {
    EXPECT_EQ(verdict_of(test, {2.5, 7}), Verdict::Match);
    EXPECT_EQ(verdict_of(test, {3, 7}), Verdict::Match);
    EXPECT_EQ(verdict_of(test, {2.75, 7}), Verdict::Mismatch);
    EXPECT_EQ(verdict_of(test, {3.5, 7}), Verdict::Mismatch);
    EXPECT_EQ(verdict_of(test, {2.5, 7.5}), Verdict::Mismatch) << "no tie";
  }
}

// OpenVINO may combine constants, which widens what is dequantized beyond the two floats.
TEST(Alternatives, AreWidenedByWhatAProfileLetsHappen) {
  const Case test = dequantized("dequantize_per_tensor.default", "0.5, 0");
  const ExpectedRuns expected = expected_runs(*find_profile("openvino"), test).value();
  const BallTensor& y = expected.a.outputs[0];
  ASSERT_TRUE(y.alternatives.contains(0));
  EXPECT_GT(y.alternatives.at(0).front().radius, 0) << "2.5 alone is exact";
  EXPECT_LT(y.alternatives.at(0).front().radius, 1e-4) << "a step is 0.5";
  EXPECT_EQ(verdict_of(test, {2.5, 7}, "openvino"), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {3, 7}, "openvino"), Verdict::Match);
  EXPECT_EQ(verdict_of(test, {2.75, 7}, "openvino"), Verdict::Mismatch);
}

Case ranking_of(const std::string& op, const std::string& args, const std::string& result, const std::string& data) {
  return case_of(R"({"inputs": {"x": {"type": "f32[4]"}},
    "nodes": [{"out": "both", "op": "aten.)" +
                     op + R"(", "args": ["%x")" + args + R"(]}, {"out": "y", "op": "getitem", "args": ["%both", )" +
                     result + R"(]}], "outputs": ["%y"]})",
                 R"({"x": [)" + data + "]}");
}

// Equal elements stand in no defined order: an index is the place of any of them, and of no other.
TEST(Alternatives, AnIndexOfEqualElementsIsThePlaceOfAny) {
  const Case sorted = ranking_of("sort.default", "", "1", "3, 1, 3, 2");
  EXPECT_EQ(verdict_of(sorted, {1, 3, 0, 2}), Verdict::Match);
  EXPECT_EQ(verdict_of(sorted, {1, 3, 2, 0}), Verdict::Match);
  EXPECT_EQ(verdict_of(sorted, {1, 3, 1, 0}), Verdict::Mismatch) << "1 is no 3";
  EXPECT_EQ(verdict_of(sorted, {3, 1, 0, 2}), Verdict::Mismatch) << "of the others there is one each";
  const Case largest = ranking_of("topk.default", ", 2", "1", R"(3, "nan", 3, "nan")");
  EXPECT_EQ(verdict_of(largest, {3, 1}), Verdict::Match);
  EXPECT_EQ(verdict_of(largest, {3, 0}), Verdict::Mismatch);
  const Case middle = ranking_of("median.dim", ", 0", "1", "3, 3, 3, 1");
  EXPECT_EQ(verdict_of(middle, {2}), Verdict::Match);
  EXPECT_EQ(verdict_of(middle, {3}), Verdict::Mismatch);
  const Case second = ranking_of("kthvalue.default", ", 2", "1", "-0.0, 0.0, 1, 2");
  EXPECT_EQ(verdict_of(second, {0}), Verdict::Match) << "zeros are equal";
  EXPECT_EQ(verdict_of(second, {2}), Verdict::Mismatch);
}

// Of elements that are known up to a radius, which is first is a fact that the bound does not reach.
TEST(Alternatives, OfElementsThatAreNotExactAnIndexIsUndecided) {
  const Case rounded = case_of(R"({"inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "e", "op": "aten.exp.default", "args": ["%x"]},
              {"out": "y", "op": "aten.argsort.default", "args": ["%e"]}], "outputs": ["%y"]})",
                               R"({"x": [0.5, 0.5]})");
  EXPECT_EQ(verdict_of(rounded, {0, 1}), Verdict::Undecided);
  const Case unordered = ranking_of("topk.default", ", 2, 0, true, false", "1", "3, 3, 2, 1");
  EXPECT_EQ(verdict_of(unordered, {2, 0}), Verdict::Undecided) << "without an order any may stand anywhere";
}

}  // namespace
}  // namespace parallax
