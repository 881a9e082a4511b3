// What a campaign did not draw it cannot have seen fixed.
#include "fuzz/campaign/drawn_calls.h"

#include <gtest/gtest.h>

namespace parallax {
namespace {

std::map<std::string, Tally> tallies_with(const std::string& target, const std::map<std::string, int64_t>& calls) {
  std::map<std::string, Tally> tallies;
  for (const auto& [op, count] : calls) tallies[target].calls[op] = count;
  return tallies;
}

KnownFinding entry(const std::string& signature) {
  KnownFinding known;
  known.signature = signature;
  known.target = "tract";
  return known;
}

TEST(DrawnCalls, CountsEveryFormOfTheRarestOp) {
  const auto tallies =
      tallies_with("tract?x=1", {{"aten.add.Tensor", 200}, {"aten.add_.Scalar", 50}, {"aten.neg.default", 7}});
  EXPECT_EQ(drawn_calls(entry("mismatch | tract | values | add.Tensor"), tallies), 250);
  EXPECT_EQ(drawn_calls(entry("mismatch | tract | values | add.Tensor*2 neg; add.Tensor~input"), tallies), 7);
  EXPECT_EQ(drawn_calls(entry("mismatch | tract | values | exp"), tallies), 0);
}

TEST(DrawnCalls, TakesTheOpsToAvoidWhereAnEntryHasSome) {
  KnownFinding avoided = entry("internal_error | tract | lower | some message");
  avoided.avoid["aten.neg.default"] = {DType::F32};
  EXPECT_EQ(drawn_calls(avoided, tallies_with("tract", {{"aten.exp.default", 9}})), 0);
}

TEST(DrawnCalls, SaysNothingOfOtherTargetsAndOfEntriesWithoutAnOp) {
  EXPECT_EQ(drawn_calls(entry("mismatch | tract | values | neg"), tallies_with("mnn", {{"aten.neg.default", 900}})), 0);
  EXPECT_EQ(drawn_calls(entry("internal_error | tract | lower | it is broken"), {}), std::nullopt);
}

}  // namespace
}  // namespace parallax
