// Planted faults: off unless named, each changes its own part and nothing else.
#include "compiler/faults.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compiler/compile.h"
#include "compiler/rewriter.h"
#include "places.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

FaultSet faults(std::vector<std::string> ids) { return FaultSet::of(ids).value(); }

TEST(Faults, AreNamedOnce) {
  std::set<std::string_view> ids;
  for (const Fault* fault : all_faults) {
    EXPECT_TRUE(ids.insert(fault->id).second) << fault->id;
    EXPECT_FALSE(fault->name.empty());
    EXPECT_FALSE(fault->summary.empty());
  }
}

// A place is a file or a folder, or a component that no one file holds.
TEST(Faults, BreakWhatIsThere) {
  for (const Fault* fault : all_faults) {
    const bool path = fault->place.contains('/');
    EXPECT_TRUE(!path || std::filesystem::exists(std::filesystem::path(PARALLAX_SOURCE_DIR) / fault->place))
        << fault->id << ": " << fault->place;
  }
}

TEST(Faults, AreOffUnlessSomebodyNamesThem) {
  EXPECT_TRUE(FaultSet().empty());
  EXPECT_EQ(CompileOptions().faults.names(), "");
  const CompilerParts parts = FaultSet().parts();
  EXPECT_EQ(parts.lifetimes, &alias_set_lifetimes);
  EXPECT_EQ(parts.packer, &pack_by_default);
  EXPECT_EQ(parts.sizes, &storage_bytes);
}

TEST(Faults, AnUnknownOneIsRefused) {
  const std::vector<std::string> ids = {"F01", "F99"};
  const Result<FaultSet> set = FaultSet::of(ids);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().reason, "no fault is called 'F99'");
  EXPECT_EQ(faults({"F01", "F01"}).names(), "F01");
}

TEST(Faults, EachBreaksAPartThatItCanBeBlamedFor) {
  for (const Fault* fault : all_faults) EXPECT_FALSE(broken_parts(*fault).empty()) << fault->id;
  EXPECT_EQ(broken_parts(alias_blind_last_use).front(), "planner");
  EXPECT_EQ(broken_parts(partition_cycle).front(), "partition");
  EXPECT_EQ(broken_parts(fused_over_second_use).front(), "fusion");
}

TEST(Faults, AMutantIsNamedLikeOne) {
  const FaultSet set = faults({"F01", "M01", "M01"});
  EXPECT_FALSE(set.empty());
  EXPECT_FALSE(faults({"M01"}).empty());
  EXPECT_EQ(set.names(), "F01, M01");
  EXPECT_EQ(set.mutant()->id, "M01");
  EXPECT_EQ(set.broken_parts(), (std::vector<std::string_view>{"planner", "planner"}));
  EXPECT_EQ(FaultSet().mutant(), nullptr);
  const std::vector<std::string> two = {"M01", "M02"};
  EXPECT_EQ(FaultSet::of(two).error().reason, "M01 and M02: one mutant at a time");
}

TEST(F01, ChangesThePlanAndNothingElse) {
  const Case test = testing::elided_copy_case();
  const Program sound = compile(test.graph, {}).value();
  const Program faulty = compile(test.graph, {faults({"F01"})}).value();
  EXPECT_TRUE(same_graph(sound.graph, faulty.graph));
  EXPECT_TRUE(check_plan(sound.graph, sound.plan).empty());
  ASSERT_FALSE(check_plan(faulty.graph, faulty.plan).empty());
  EXPECT_EQ(describe(faulty.graph, check_plan(faulty.graph, faulty.plan).front()),
            "a in [0, 8), written by #0, is overwritten by #3; its alias b is still read by #4");
}

TEST(F01, ForgetsThatAnAliasIsReturned) {
  const Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "b", "op": "aten.view.default", "args": ["%a", [2, 1]]}],
    "outputs": ["%b"]})",
                                     R"({"x": [1, 2]})");
  const Program faulty = compile(test.graph, {faults({"F01"})}).value();
  const std::vector<PlanFailure> failures = check_plan(faulty.graph, faulty.plan);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures.front().kind, PlanFailure::Kind::Returned);
}

}  // namespace
}  // namespace parallax
