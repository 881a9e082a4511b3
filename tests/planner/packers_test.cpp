// The packers: what each gives is a packing, the exact one's answers are those of brute force, and budgets and seeds
// are kept to.
#include "planner/packers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/choices.h"
#include "planner/greedy_packer.h"

namespace parallax {
namespace {

PackingProblem draw_problem(Choices& choices, int blocks, int64_t sizes, bool aligned) {
  PackingProblem problem;
  for (int i = 0; i < blocks; ++i) {
    const int first = static_cast<int>(choices.below(10));
    const LiveRange range{first, first + static_cast<int>(choices.below(6))};
    const int64_t alignment = aligned ? int64_t{1} << choices.below(4) : 1;
    problem.blocks.push_back({range, choices.between(0, sizes), alignment});
  }
  return problem;
}

// The lowest height of all orders of placing blocks at their lowest free offset: one of them gives a lowest packing,
// since any packing can be pushed down and is then found in the order of its offsets.
int64_t lowest_by_brute_force(const PackingProblem& problem) {
  std::vector<int> order(problem.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  GreedyPacker packer(problem);
  std::vector<int64_t> offsets;
  int64_t lowest = std::numeric_limits<int64_t>::max();
  do lowest = std::min(lowest, packer.pack(order, Fit::First, offsets));
  while (std::ranges::next_permutation(order).found);
  return lowest;
}

TEST(Packers, GivePackings) {
  for (uint64_t stream = 0; stream < 300; ++stream) {
    Choices choices(3, stream);
    const PackingProblem problem = draw_problem(choices, static_cast<int>(choices.below(20)), 64, stream % 2 == 0);
    for (const Packer& packer : all_packers) {
      SCOPED_TRACE(::testing::Message() << packer.name << ", seed 3, stream " << stream);
      const Packing packing = packer.pack(problem, {2000, stream});
      EXPECT_TRUE(is_packing(problem, packing.offsets));
      EXPECT_EQ(packing.height, height_of(problem, packing.offsets));
      EXPECT_GE(packing.height, lower_bound(problem));
    }
  }
}

TEST(Packers, ExactIsAsLowAsBruteForceAndSaysSo) {
  for (uint64_t stream = 0; stream < 150; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 4, stream " << stream);
    Choices choices(4, stream);
    PackingProblem problem = draw_problem(choices, 7, 6, stream % 3 == 0);
    const int64_t lowest = lowest_by_brute_force(problem);
    const Packing packing = pack_exactly(problem, {1000000, 1});
    EXPECT_EQ(packing.height, lowest);
    EXPECT_EQ(packing.proof, Proof::Lowest);
    if (lowest == 0) continue;
    problem.enough = lowest - 1;
    const Packing refused = pack_exactly(problem, {1000000, 1});
    EXPECT_TRUE(refused.proof == Proof::Lowest || refused.proof == Proof::Impossible);
    EXPECT_EQ(refused.height, lowest);
  }
}

TEST(Packers, NoneIsLowerThanTheProvedLowest) {
  for (uint64_t stream = 0; stream < 60; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 5, stream " << stream);
    Choices choices(5, stream);
    const PackingProblem problem = draw_problem(choices, 14, 9, false);
    const Packing exact = pack_exactly(problem, {1000000, 1});
    ASSERT_EQ(exact.proof, Proof::Lowest);
    for (const Packer& packer : all_packers) EXPECT_GE(packer.pack(problem, {5000, 1}).height, exact.height);
  }
}

TEST(Packers, GiveTheSameForTheSameSeedAndKeepToTheBudget) {
  Choices choices(6, 0);
  const PackingProblem problem = draw_problem(choices, 60, 1000, false);
  for (const Packer& packer : all_packers) {
    SCOPED_TRACE(packer.name);
    const Packing once = packer.pack(problem, {3000, 9});
    EXPECT_EQ(once.offsets, packer.pack(problem, {3000, 9}).offsets);
    // The greedy orders, which every packer begins with, and one last move are not counted against the budget.
    EXPECT_LE(once.steps, 3000 + 60 * 30);
  }
}

TEST(Packers, StopWhereTheHeightIsEnough) {
  Choices choices(7, 0);
  PackingProblem problem = draw_problem(choices, 40, 1000, false);
  problem.enough = std::numeric_limits<int64_t>::max();
  for (const Packer& packer : all_packers) EXPECT_LE(packer.pack(problem, {1000000, 1}).steps, 400) << packer.name;
}

// Above a thousand blocks only what costs little is done.
TEST(Packers, PackThousandsOfBlocks) {
  Choices choices(8, 0);
  PackingProblem problem;
  for (int i = 0; i < 5000; ++i) {
    problem.blocks.push_back({{i, i + static_cast<int>(choices.below(20))}, choices.between(1, 100), 1});
  }
  const Packing packing = pack_by_default(problem, {20000, 1});
  EXPECT_TRUE(is_packing(problem, packing.offsets));
  EXPECT_LE(packing.height, 2 * lower_bound(problem));
}

TEST(Packers, AreFoundByName) {
  for (const Packer& packer : all_packers) EXPECT_EQ(find_packer(packer.name)->pack, packer.pack);
  EXPECT_EQ(find_packer("none"), nullptr);
}

TEST(LowerBound, CountsWhatLivesAtOnceWithBothEndsIncluded) {
  EXPECT_EQ(lower_bound({{{{0, 1}, 4}, {{1, 2}, 8}, {{3, 3}, 10}}}), 12);
  EXPECT_EQ(lower_bound({}), 0);
}

}  // namespace
}  // namespace parallax
