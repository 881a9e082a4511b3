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
    "nodes": [{"out": "y", "op": "aten.)" + op +
                     R"(", "args": ["%x", [6]]})" + after + R"(], "outputs": ["%)" + output + R"("]})",
                 R"({"x": [10, 20]})");
}

Verdict verdict_of(const Case& test, const std::vector<double>& numbers) {
  const Profile& profile = *find_profile("eager");
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

// What reads the element computes with the hull, and what is written over it has none.
TEST(Alternatives, GoNoFurtherThanTheElement) {
  const std::string added = R"(, {"out": "z", "op": "aten.add_.Scalar", "args": ["%y", 1]})";
  const Case written = resize_of("f32", "upsample_nearest1d.default", added, "z");
  const ExpectedRuns expected = expected_runs(*find_profile("eager"), written).value();
  EXPECT_TRUE(expected.a.outputs[0].alternatives.empty());
  EXPECT_NE(verdict_of(written, {11, 11, 11, 15, 21, 21}), Verdict::Mismatch);
  EXPECT_EQ(verdict_of(written, {11, 11, 11, 22, 21, 21}), Verdict::Mismatch);
}

}  // namespace
}  // namespace parallax
