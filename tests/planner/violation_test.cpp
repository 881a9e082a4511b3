// Violations: each slip of a plan has its own kind, and the failure that causes the others is the root.
#include "planner/violation.h"

#include <gtest/gtest.h>

#include "tests/support/graph_text.h"
#include "tests/support/plans.h"

namespace parallax {
namespace {

using testing::value_named;

// a is read by #2 and, through its view b, by #5; c is read by #4; d by nobody.
Graph graph_of_aliases() {
  return testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "b", "op": "aten.alias.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%a"]},
      {"out": "d", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "e", "op": "aten.neg.default", "args": ["%c"]},
      {"out": "f", "op": "aten.add.Tensor", "args": ["%e", "%b"]}
    ],
    "outputs": ["%f"]})",
                          R"({"x": [1, 2]})")
      .graph;
}

class Violation : public ::testing::Test {
 protected:
  Slot& slot(std::string_view name) { return placement(name).slot; }
  Placement& placement(std::string_view name) { return plan_.placements[storage(name).index]; }
  StorageId storage(std::string_view name) const { return graph_.meta(value_named(graph_, name)).storage; }
  std::string_view kind() const {
    const Schedule schedule = schedule_of(graph_);
    const std::vector<PlanFailure> failures = check_plan(schedule, plan_);
    return failures.empty() ? "none" : name(violation_kind(graph_, schedule, plan_, {}, reckon_, root_of(failures)));
  }
  // Of a planner that takes every life to end with the step that begins it.
  static Lifetimes short_lives(const Graph& graph) {
    Lifetimes lives = alias_set_lifetimes(graph);
    for (Lifetime& life : lives) life.range.last = life.range.first;
    return lives;
  }

  Graph graph_ = graph_of_aliases();
  Reckoning reckon_ = alias_set_lifetimes;
  Plan plan_ = testing::plan_of(graph_, alias_set_lifetimes(graph_));
};

TEST_F(Violation, ASoundPlanHasNone) { EXPECT_EQ(kind(), "none"); }

TEST_F(Violation, AnAliasIsOverwritten) {
  slot("e") = slot("a");
  reckon_ = short_lives;
  EXPECT_EQ(kind(), "alias overwritten");
}

TEST_F(Violation, AnAliasIsNotToBlameWhereThePlannerKnowsThatItIsStillRead) {
  slot("e") = slot("a");
  EXPECT_EQ(kind(), "slots of two live values overlap");
}

TEST_F(Violation, WhatIsOverwrittenByADeadResultIsToldApart) {
  slot("d") = slot("a");
  EXPECT_EQ(kind(), "overwritten by what nobody reads");
}

TEST_F(Violation, AnOperandIsOverwrittenInPlaceAlthoughItIsReadLater) {
  slot("c") = slot("a");
  plan_.reuses.push_back({NodeId(2), storage("a"), storage("c")});
  EXPECT_EQ(kind(), "operand overwritten in place and read later");
}

TEST_F(Violation, TwoValuesThatAreBothStillToBeReadOverlap) {
  graph_ = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "b", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "c", "op": "aten.add.Tensor", "args": ["%a", "%b"]}
    ],
    "outputs": ["%c"]})",
                            R"({"x": [1, 2]})")
               .graph;
  plan_ = testing::plan_of(graph_, alias_set_lifetimes(graph_));
  slot("b") = slot("a");
  EXPECT_EQ(kind(), "slots of two live values overlap");
  reckon_ = short_lives;
  EXPECT_EQ(kind(), "life ends before the last read");
}

TEST_F(Violation, WhatNobodyReadsNeedsRoomToo) {
  slot("d").size = 0;
  EXPECT_EQ(kind(), "no room for what nobody reads");
}

TEST_F(Violation, ASlotThatIsTooSmallIsTheRootOfWhatItCauses) {
  slot("c").size = 4;
  slot("e") = slot("a");
  EXPECT_EQ(kind(), "slot too small");
}

TEST_F(Violation, MemoryOfAnotherOwner) {
  placement("e") = placement("x");
  EXPECT_EQ(kind(), "memory of another owner");
}

TEST_F(Violation, WhatIsReturnedMustNotBeUsedAgain) {
  placement("f") = placement("c");
  EXPECT_EQ(kind(), "returned memory used again");
  reckon_ = short_lives;
  EXPECT_EQ(kind(), "alias overwritten") << "a step that reads it would be forgotten as well";
}

}  // namespace
}  // namespace parallax
