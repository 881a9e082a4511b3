// Mutants: named once, each at its place in the code, and off unless somebody switches one on.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <thread>

#include "planner/mutants_list.h"

namespace parallax {
namespace {

// The functions that stand for a kind.
std::string functions_of(MutantKind kind) {
  switch (kind) {
    case MutantKind::FlippedComparison:
      return "less|at_most|equal";
    case MutantKind::DroppedEdge:
      return "asked|kept";
    case MutantKind::OffByOne:
      return "one_less|one_more";
    case MutantKind::SwappedOperand:
      return "first_of";
  }
  return {};
}

TEST(Mutants, AreNumberedAndNamedOnce) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all_mutants.size(); ++i) {
    EXPECT_EQ(all_mutants[i]->id, (i < 9 ? "M0" : "M") + std::to_string(i + 1));
    EXPECT_TRUE(names.insert(all_mutants[i]->name).second) << all_mutants[i]->name;
    EXPECT_FALSE(all_mutants[i]->what.empty());
  }
}

TEST(Mutants, StandInTheirFilesAsWhatTheyAre) {
  for (const Mutant* mutant : all_mutants) {
    std::ifstream file(std::string(PARALLAX_SOURCE_DIR "/") + std::string(mutant->file));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::regex place("\\b(" + functions_of(mutant->kind) + ")\\(\\s*" + std::string(mutant->name) + "\\b");
    EXPECT_TRUE(std::regex_search(text, place)) << mutant->name << " in " << mutant->file;
  }
}

TEST(Mutants, LeaveTheCodeAsItIsWhileTheyAreOff) {
  for (const Mutant* mutant : all_mutants) EXPECT_FALSE(is_active(*mutant));
  const Mutant& any = *all_mutants.front();
  EXPECT_FALSE(less(any, 1, 1));
  EXPECT_TRUE(at_most(any, 1, 1));
  EXPECT_TRUE(equal(any, 1, 1));
  EXPECT_FALSE(asked(any, false));
  EXPECT_TRUE(kept(any));
  EXPECT_EQ(one_less(any, 5), 5);
  EXPECT_EQ(one_more(any, 5), 5);
  EXPECT_EQ(first_of(any, 1, 2), 1);
}

TEST(Mutants, ChangeWhatTheyNameWhileTheyAreOnAndNothingElse) {
  const Mutant& on = *all_mutants.front();
  const Mutant& other = *all_mutants.back();
  const ActiveMutant active(&on);
  EXPECT_TRUE(less(on, 1, 1));
  EXPECT_FALSE(at_most(on, 1, 1));
  EXPECT_FALSE(equal(on, 1, 1));
  EXPECT_TRUE(asked(on, false));
  EXPECT_FALSE(kept(on));
  EXPECT_EQ(one_less(on, 5), 4);
  EXPECT_EQ(one_more(on, 5), 6);
  EXPECT_EQ(first_of(on, 1, 2), 2);
  EXPECT_FALSE(less(other, 1, 1));
  EXPECT_EQ(first_of(other, 1, 2), 1);
}

TEST(Mutants, AreGoneWithTheirScopeAndUnknownToOtherThreads) {
  const Mutant& outer = *all_mutants.front();
  const Mutant& inner = *all_mutants.back();
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
