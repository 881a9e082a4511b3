// The plan checker: deliberately wrong planners are caught and named, sound plans are never refused.
#include "planner/plan_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/generate/generate.h"
#include "tests/support/graph_text.h"
#include "tests/support/plans.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using testing::plan_of;
using testing::value_named;
using Kind = PlanFailure::Kind;

// a is read by #2 and, through its view b, by #4.
Case aliased_case() {
  return testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "b", "op": "aten.alias.default", "args": ["%a"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%a"]},
      {"out": "d", "op": "aten.neg.default", "args": ["%c"]},
      {"out": "e", "op": "aten.add.Tensor", "args": ["%d", "%b"]}
    ],
    "outputs": ["%e"]})",
                          R"({"x": [1, 2]})");
}

// Without in-place reuse, so that every storage has a slot of its own.
Plan sound_plan(const Graph& graph) { return plan_of(graph, alias_set_lifetimes(graph)); }

StorageId storage_of(const Graph& graph, std::string_view name) { return graph.meta(value_named(graph, name)).storage; }

Placement& placement(Plan& plan, const Graph& graph, std::string_view name) {
  return plan.placements[storage_of(graph, name).index];
}

TEST(PlanChecker, TakesASoundPlan) {
  const Graph graph = aliased_case().graph;
  EXPECT_THAT(check_plan(graph, sound_plan(graph)), ::testing::IsEmpty());
}

TEST(PlanChecker, NamesTheOverwriterOfAStorageWhoseAliasWasForgotten) {
  const Graph graph = aliased_case().graph;
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  lifetimes[storage_of(graph, "a").index].range.last = 2;  // its last direct use
  const std::vector<PlanFailure> failures = check_plan(graph, plan_of(graph, lifetimes));
  ASSERT_EQ(failures.size(), 1U);
  const PlanFailure& failure = failures.front();
  EXPECT_EQ(failure.kind, Kind::Overwritten);
  EXPECT_EQ(failure.storage, storage_of(graph, "a"));
  EXPECT_EQ(failure.slot, (Slot{0, 8}));
  EXPECT_EQ(failure.value, value_named(graph, "b"));
  EXPECT_EQ(failure.written_by, 0);
  EXPECT_EQ(failure.overwritten_by, 3);
  EXPECT_EQ(failure.read_by, 4);
  EXPECT_EQ(describe(graph, failure),
            "a in [0, 8), written by #0, is overwritten by #3; its alias b is still read by #4");
}

TEST(PlanChecker, CatchesARangeThatIsOneStepShort) {
  const Graph graph = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [
      {"out": "a", "op": "aten.sigmoid.default", "args": ["%x"]},
      {"out": "c", "op": "aten.exp.default", "args": ["%x"]},
      {"out": "d", "op": "aten.flip.default", "args": ["%c", [0]]},
      {"out": "e", "op": "aten.add.Tensor", "args": ["%d", "%a"]}
    ],
    "outputs": ["%e"]})",
                                       R"({"x": [1, 2]})")
                          .graph;
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  // c dies before d reads it, so that d may be written where c is read; flip does not read element by element.
  lifetimes[storage_of(graph, "c").index].range.last = 1;
  const std::vector<PlanFailure> failures = check_plan(graph, plan_of(graph, lifetimes));
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.front().value, value_named(graph, "c"));
  EXPECT_EQ(failures.front().overwritten_by, 2);
  EXPECT_EQ(failures.front().read_by, 2);
}

TEST(PlanChecker, CatchesSlotsThatOverlapByOneByte) {
  const Graph graph = aliased_case().graph;
  Plan plan = sound_plan(graph);
  placement(plan, graph, "a").slot = {0, 8};
  placement(plan, graph, "c").slot = {7, 8};
  placement(plan, graph, "d").slot = {16, 8};
  plan.arena(Arena::Backend) = {24, 1};
  const std::vector<PlanFailure> failures = check_plan(graph, plan);
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures.front().storage, storage_of(graph, "a"));
  EXPECT_EQ(failures.front().overwritten_by, 2);
}

TEST(PlanChecker, CatchesSlotsOfTheWrongSizeOrPlace) {
  const Graph graph = aliased_case().graph;
  const auto kind_of = [&](auto&& change) {
    Plan plan = sound_plan(graph);
    change(plan);
    const std::vector<PlanFailure> failures = check_plan(graph, plan);
    EXPECT_FALSE(failures.empty());
    return failures.empty() ? Kind::Overwritten : failures.front().kind;
  };
  EXPECT_EQ(kind_of([&](Plan& plan) { --placement(plan, graph, "a").slot.size; }), Kind::TooSmall);
  EXPECT_EQ(kind_of([&](Plan& plan) { --plan.arena(Arena::Backend).size; }), Kind::OutsideArena);
  EXPECT_EQ(kind_of([&](Plan& plan) { placement(plan, graph, "a").slot.offset = -8; }), Kind::OutsideArena);
  EXPECT_EQ(kind_of([&](Plan& plan) { placement(plan, graph, "a").arena = Arena::Inputs; }), Kind::NotTheCallers);
  EXPECT_EQ(kind_of([&](Plan& plan) { placement(plan, graph, "x").arena = Arena::Backend; }), Kind::NotTheCallers);
  EXPECT_EQ(kind_of([&](Plan& plan) {
              placement(plan, graph, "e") = {Arena::Backend, {plan.arena(Arena::Backend).size, 8}};
              plan.arena(Arena::Backend).size += 8;
            }),
            Kind::Returned);
}

// Every planner that is wrong about one storage of a graph: it frees it a step early, or forgets that it is returned.
TEST(PlanChecker, CatchesEveryShortenedLifeThatLetsAReaderMeetOtherBytes) {
  int caught = 0;
  for (uint64_t stream = 0; stream < 300; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 7, stream " << stream);
    Choices choices(7, stream);
    const Graph graph = generate(choices, {}).graph;
    const Lifetimes sound = alias_set_lifetimes(graph);
    ASSERT_THAT(check_plan(graph, plan_of(graph, sound)), ::testing::IsEmpty());
    for (std::size_t s = 0; s < sound.size(); ++s) {
      Lifetimes wrong = sound;
      if (sound[s].arena == Arena::Returned) {
        wrong[s] = {Arena::Backend, {sound[s].range.first, static_cast<int>(graph.nodes.size())}};
        const std::vector<PlanFailure> failures = check_plan(graph, plan_of(graph, wrong));
        EXPECT_TRUE(std::ranges::any_of(failures, [](const PlanFailure& f) { return f.kind == Kind::Returned; }));
      } else if (sound[s].arena == Arena::Backend && sound[s].range.last > sound[s].range.first) {
        --wrong[s].range.last;
        const Plan plan = plan_of(graph, wrong);
        // The shorter life is only a bug where somebody uses the slot again in its last step.
        for (const PlanFailure& failure : check_plan(graph, plan)) {
          EXPECT_EQ(failure.storage, StorageId(s));
          EXPECT_EQ(failure.overwritten_by, sound[s].range.last);
          ++caught;
        }
      }
    }
  }
  EXPECT_GT(caught, 50);
}

TEST(PlanChecker, SaysWhichKindOfFailureItIs) {
  const Graph graph = aliased_case().graph;
  Plan plan = sound_plan(graph);
  placement(plan, graph, "a").slot.size = 4;
  EXPECT_THAT(describe(graph, check_plan(graph, plan).front()), HasSubstr("a in [0, 4) needs 8 bytes"));
}

}  // namespace
}  // namespace parallax
