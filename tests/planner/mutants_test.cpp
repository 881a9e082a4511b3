// Mutants: named once, each at its place in the code, and off unless somebody switches one on.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "places.h"
#include "planner/mutant_switches.h"

namespace parallax {
namespace {

TEST(Mutants, AreNumberedAndNamedOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all_mutants.size(); ++i) {
    EXPECT_EQ(all_mutants[i].id, (i < 9 ? "M0" : "M") + std::to_string(i + 1));
    EXPECT_TRUE(names.insert(all_mutants[i].name).second) << all_mutants[i].name;
    EXPECT_FALSE(all_mutants[i].what.empty());
    EXPECT_EQ(find_mutant(all_mutants[i].id), &all_mutants[i]);
  }
  EXPECT_EQ(find_mutant("M99"), nullptr);
}

// That the function makes what the row says is checked where it is compiled.
TEST(Mutants, StandInTheirFiles) {
  for (const Mutant& mutant : all_mutants) {
    std::ifstream file(std::string(PARALLAX_SOURCE_DIR "/") + std::string(mutant.file.path));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("<\"" + std::string(mutant.name) + "\">("), std::string::npos)
        << mutant.name << " in " << mutant.file.path;
  }
}

TEST(Mutants, LeaveTheCodeAsItIsWhileTheyAreOff) {
  for (const Mutant& mutant : all_mutants) EXPECT_FALSE(is_active(mutant));
  EXPECT_FALSE(less_unless_flipped<"dead_when_read_last">(1, 1));
  EXPECT_TRUE(at_most_unless_flipped<"conflict_at_one_step">(1, 1));
  EXPECT_FALSE(holds_unless_dropped<"operand_lives_on">(false));
  EXPECT_TRUE(taken_unless_dropped<"maker_edge">());
  EXPECT_EQ(exact_or_one_less<"last_use_one_early">(5), 5);
  EXPECT_EQ(exact_or_one_more<"life_begins_late">(5), 5);
  EXPECT_EQ(first_unless_swapped<"where_swapped">(1, 2), 1);
}

const Mutant& mutant_called(std::string_view name) { return *std::ranges::find(all_mutants, name, &Mutant::name); }

TEST(Mutants, ChangeWhatTheyNameWhileTheyAreOnAndNothingElse) {
  const auto on = [](std::string_view name, const auto& check) {
    const ActiveMutant active(&mutant_called(name));
    check();
  };
  on("dead_when_read_last", [] {
    EXPECT_TRUE(less_unless_flipped<"dead_when_read_last">(1, 1));
    EXPECT_FALSE(less_unless_flipped<"rank_of_rest">(1, 1));
  });
  on("conflict_at_one_step", [] { EXPECT_FALSE(at_most_unless_flipped<"conflict_at_one_step">(1, 1)); });
  on("operand_lives_on", [] { EXPECT_TRUE(holds_unless_dropped<"operand_lives_on">(false)); });
  on("maker_edge", [] { EXPECT_FALSE(taken_unless_dropped<"maker_edge">()); });
  on("last_use_one_early", [] { EXPECT_EQ(exact_or_one_less<"last_use_one_early">(5), 4); });
  on("life_begins_late", [] { EXPECT_EQ(exact_or_one_more<"life_begins_late">(5), 6); });
  on("where_swapped", [] {
    EXPECT_EQ(first_unless_swapped<"where_swapped">(1, 2), 2);
    EXPECT_EQ(first_unless_swapped<"dims_by_place">(1, 2), 1);
  });
}

TEST(Mutants, AreGoneWithTheirScopeAndUnknownToOtherThreads) {
  const Mutant& outer = all_mutants.front();
  const Mutant& inner = all_mutants.back();
  {
    const ActiveMutant first(&outer);
    {
      const ActiveMutant second(&inner);
      EXPECT_TRUE(is_active(inner) && !is_active(outer));
    }
    EXPECT_TRUE(is_active(outer) && !is_active(inner));
    std::thread([&] { EXPECT_FALSE(is_active(outer)); }).join();
    const ActiveMutant none(nullptr);
    EXPECT_FALSE(is_active(outer));
  }
  EXPECT_FALSE(is_active(outer));
}

}  // namespace
}  // namespace parallax
