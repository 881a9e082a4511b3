// Tuning finds what a cost asks for, and leaves the rest of a profile's meaning alone.
#include "fuzz/score/tune_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace parallax {
namespace {

uint32_t sum(const auto& list) { return std::accumulate(list.begin(), list.end(), 0u); }

Result<std::vector<double>> no_costs(std::span<const GenerateWeights> candidates, int) {
  return std::vector<double>(candidates.size(), 0);
}
void tell_nobody(int, double, double) {}

TEST(TuneWeights, MovesToWhatCostsLess) {
  // A third of the nodes write, and half of the cases have buffers.
  const auto costs = [](std::span<const GenerateWeights> candidates, int) -> Result<std::vector<double>> {
    std::vector<double> made;
    for (const GenerateWeights& weights : candidates) {
      made.push_back(std::fabs(weights.groups[2] - 33.0) + std::fabs(weights.buffers - 50.0));
    }
    return made;
  };
  const GenerateWeights& start = weights_of(GenerateProfile::All);
  std::vector<double> centres;
  const auto tell = [&](int, double centre, double) { centres.push_back(centre); };
  const auto tuned = tune(start, {.rounds = 12, .candidates = 32, .seed = 1}, costs, tell);
  ASSERT_TRUE(tuned) << tuned.error().text();
  EXPECT_EQ(centres.size(), 12u);
  EXPECT_NEAR(tuned->groups[2], 33, 4);
  EXPECT_NEAR(tuned->buffers, 50, 6);
  EXPECT_NEAR(sum(tuned->groups), sum(start.groups), op_group_count);
  EXPECT_EQ(tuned->name, start.name);
}

TEST(TuneWeights, LeavesOutWhatTheProfileLeavesOut) {
  const GenerateWeights& start = weights_of(GenerateProfile::Shape);
  ASSERT_EQ(start.groups.back(), 0u);
  const auto tuned = tune(start, {.rounds = 3, .candidates = 8, .seed = 2}, no_costs, tell_nobody);
  ASSERT_TRUE(tuned);
  EXPECT_EQ(tuned->groups.back(), 0u);
  EXPECT_NE(tuned->groups, start.groups);
}

TEST(TuneWeights, HandsOnAnError) {
  const auto costs = [](std::span<const GenerateWeights>, int) -> Result<std::vector<double>> {
    return fail("no target");
  };
  const auto tuned = tune(weights_of(GenerateProfile::All), {.rounds = 1}, costs, tell_nobody);
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().reason, "no target");
}

TEST(TuneWeights, WritesThemAsAProfileHasThem) {
  const std::string text = text_of(weights_of(GenerateProfile::Alias));
  EXPECT_TRUE(text.contains("  .groups = {22, 14, 20, 24, 6, 4, 4, 4, 2},\n")) << text;
  EXPECT_TRUE(text.contains("  .drop_unread = 15,\n")) << text;
}

}  // namespace
}  // namespace parallax
