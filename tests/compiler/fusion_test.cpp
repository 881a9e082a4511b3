// Fusion: which nodes share a loop, and what of theirs needs memory.
#include "compiler/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::case_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::value_named;

bool takes_all(const Graph&, const Node&) { return true; }
constexpr std::array fusing = {Backend{"fusing", takes_all, true}};

Program fused(const Graph& graph, std::vector<std::string> faults = {}) {
  CompileOptions options;
  options.faults = FaultSet::of(faults).value();
  options.backends.assign(fusing.begin(), fusing.end());
  return compile(graph, options).value();
}

std::vector<std::string> inner_of(const Program& program) {
  std::vector<std::string> names;
  for (const FusedGroup& group : program.groups) {
    for (ValueId value : group.inner) names.push_back(program.graph.name(value));
  }
  return names;
}

Case chain(const std::string& second_type, const std::string& outputs) {
  return case_of(R"({
    "inputs": {"x": {"type": "f32[2,3]"}, "y": {"type": "f32[)" +
                     second_type + R"(]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "b", "op": "aten.mul.Tensor", "args": ["%a", "%y"]},
              {"out": "c", "op": "aten.exp.default", "args": ["%b"]}],
    "outputs": [)" + outputs +
                     "]}",
                 R"({"x": [1, 2, 3, 4, 5, 6], "y": [)" + std::string(second_type == "3" ? "1, 2, 3" : "1, 2") + "]}");
}

TEST(Fusion, KeepsInnerValuesOutOfMemory) {
  const Program program = fused(chain("3", R"("%c")").graph);
  ASSERT_EQ(program.groups.size(), 1U);
  EXPECT_EQ(program.groups[0].nodes, (NodeRange{0, 3}));
  EXPECT_THAT(inner_of(program), ElementsAre("a", "b"));
  EXPECT_EQ(program.plan.arena(Arena::Backend).size, 0);
  EXPECT_THAT(check_plan(schedule_of(program), program.plan), IsEmpty());
}

TEST(Fusion, WhatTheCallerGetsIsNotInner) {
  EXPECT_THAT(inner_of(fused(chain("3", R"("%c", "%a")").graph)), ElementsAre("b"));
}

TEST(Fusion, AColumnIsNoRow) {
  const Program program = fused(chain("2,1", R"("%c")").graph);
  EXPECT_TRUE(program.groups.empty()) << "b repeats y along the inner dim, and so stands between a and c";
}

TEST(Fusion, F11LeavesAReturnedValueWithoutMemory) {
  const Program program = fused(chain("3", R"("%c", "%a")").graph, {"F11"});
  EXPECT_THAT(inner_of(program), ElementsAre("a", "b"));
  const std::vector<PlanFailure> failures = check_plan(schedule_of(program), program.plan);
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.front().kind, PlanFailure::Kind::TooSmall);
}

TEST(Fusion, AGroupsStepsReadAndWriteAtItsLast) {
  const Program program = fused(chain("3", R"("%c", "%a")").graph);
  const Schedule schedule = schedule_of(program);
  EXPECT_THAT(schedule.steps[0].makes, IsEmpty());
  EXPECT_EQ(schedule.steps[2].reads.size(), 2U) << "x and y, and nothing of the group's own";
  EXPECT_THAT(schedule.steps[2].writes, ElementsAre(value_named(program.graph, "a"), value_named(program.graph, "c")));
}

}  // namespace
}  // namespace parallax
