// Plan memory: lifetimes, in-place reuse, arenas and their limits, on graphs small enough to be read.
#include "planner/plan_memory.h"

#include <gmock/gmock.h>

#include "compiler/compile.h"
#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"
#include "tests/support/plans.h"

namespace parallax {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plan_of;
using testing::sound_plan;
using testing::value_named;

StorageId storage_of(const Graph& graph, std::string_view name) { return graph.meta(value_named(graph, name)).storage; }

Slot slot(const Graph& graph, const Plan& plan, std::string_view name) {
  return plan.placement(storage_of(graph, name)).slot;
}

Case chain() {
  return testing::case_of(R"({
    "inputs": {"x": {"type": "f32[3]"}},
    "nodes": [
      {"out": "a", "op": "aten.sin.default", "args": ["%x"]},
      {"out": "b", "op": "aten.sin.default", "args": ["%a"]},
      {"out": "c", "op": "aten.sin.default", "args": ["%b"]},
      {"out": "d", "op": "aten.sin.default", "args": ["%c"]},
      {"out": "e", "op": "aten.sin.default", "args": ["%d"]}
    ],
    "outputs": ["%e"]})",
                          R"({"x": [1, 2, 3]})");
}

TEST(PlanMemory, GivesAChainOfEqualSizesTwoSlots) {
  const Graph graph = chain().graph;
  const Plan plan = plan_of(graph, alias_set_lifetimes(graph));
  EXPECT_EQ(plan.arena(Arena::Backend).size, 28);  // 12 bytes, then 12 at the next multiple of 8
  EXPECT_EQ(slot(graph, plan, "a"), slot(graph, plan, "c"));
  EXPECT_EQ(slot(graph, plan, "b"), slot(graph, plan, "d"));
  EXPECT_EQ(count_reused_slots(plan), 2);
}

TEST(PlanMemory, GivesAChainThatOverwritesOneSlot) {
  const Graph graph = chain().graph;
  const Plan plan = sound_plan(graph);
  EXPECT_EQ(plan.arena(Arena::Backend).size, 12);
  EXPECT_EQ(plan.reuses.size(), 3U);  // e is returned
  EXPECT_THAT(check_plan(graph, plan), IsEmpty());
}

TEST(PlanMemory, RefusesAnArenaOverItsLimitAndNamesTheNode) {
  const Graph graph = chain().graph;
  CompileOptions options;
  options.arena_limit = 27;
  const Result<Program> program = compile(graph, options);
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(program.error().reason.substr(0, 66), "the plan does not fit: the backend arena may have 27 bytes, and no");
  EXPECT_THAT(program.error().reason, HasSubstr("(aten.sin.default) lies in [16, 28)"));
  options.arena_limit = 28;
  EXPECT_TRUE(compile(graph, options));
}

TEST(PlanMemory, RefusesSizesThatOverflow) {
  const Graph graph = chain().graph;
  MemoryOptions options = testing::memory_options();
  options.sizes = [](const Graph&, StorageId) { return std::numeric_limits<int64_t>::max() / 2; };
  const Result<Plan> plan = plan_memory(graph, alias_set_lifetimes(graph), {}, options);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().reason, HasSubstr("has a size that no plan can hold"));
}

TEST(PlanMemory, KeepsArenasApart) {
  const Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "constants": {"k": {"type": "f32[2]", "data": [1, 2]}},
    "buffers": {"s": {"type": "f32[2]", "data": [3, 4]}},
    "nodes": [
      {"out": "a", "op": "aten.add.Tensor", "args": ["%x", "%k"]},
      {"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%s"]},
      {"out": "w", "op": "aten.copy_.default", "args": ["%s", "%a"]}
    ],
    "outputs": ["%b"]})",
                                     R"({"x": [1, 2]})");
  const Graph& graph = test.graph;
  const Plan plan = sound_plan(graph);
  const auto arena = [&](std::string_view name) { return plan.placement(storage_of(graph, name)).arena; };
  EXPECT_EQ(arena("x"), Arena::Inputs);
  EXPECT_EQ(arena("k"), Arena::Constants);
  EXPECT_EQ(arena("s"), Arena::State);
  EXPECT_EQ(arena("a"), Arena::Backend);
  EXPECT_EQ(arena("b"), Arena::Returned);
  EXPECT_THAT(check_plan(graph, plan), IsEmpty());
}

TEST(AliasSetLifetimes, LastAsLongAsAnyViewIsRead) {
  const Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[4]"}},
    "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "v", "op": "aten.view.default", "args": ["%a", [2, 2]]},
      {"out": "b", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "s", "op": "aten.select.int", "args": ["%v", 0, 1]},
      {"out": "c", "op": "aten.neg.default", "args": ["%s"]},
      {"out": "w", "op": "aten.view.default", "args": ["%b", [2, 2]]}
    ],
    "outputs": ["%c", "%w", "%x"]})",
                                     R"({"x": [1, 2, 3, 4]})");
  const Lifetimes lifetimes = alias_set_lifetimes(test.graph);
  const auto lifetime = [&](std::string_view name) { return lifetimes[storage_of(test.graph, name).index]; };
  EXPECT_EQ(lifetime("a"), (Lifetime{Arena::Backend, {0, 4}}));
  EXPECT_EQ(lifetime("b").arena, Arena::Returned) << "its view w is returned";
  EXPECT_EQ(lifetime("c").arena, Arena::Returned);
  EXPECT_EQ(lifetime("x").arena, Arena::Inputs);
}

// A matrix and its transpose in one addition.
Graph transposed_operand() {
  return testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2,2]"}},
    "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "t", "op": "aten.t.default", "args": ["%a"]},
      {"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%t"]},
      {"out": "c", "op": "aten.neg.default", "args": ["%b"]}
    ],
    "outputs": ["%c"]})",
                          R"({"x": [1, 2, 3, 4]})")
      .graph;
}

// Each condition is needed: a list without it makes a plan that the checker refuses, on some graph.
TEST(InPlace, NoConditionCanBeLeftOut) {
  for (std::size_t left_out = 0; left_out < in_place_conditions.size(); ++left_out) {
    InPlaceConditions conditions = in_place_conditions;
    conditions[left_out].holds = [](const InPlaceCandidate&) { return true; };
    int refused = 0;
    for (uint64_t stream = 0; stream < 2000 && refused == 0; ++stream) {
      Choices choices(12, stream);
      const Graph graph = stream == 0 ? transposed_operand() : generate(choices, {}).graph;
      const Lifetimes lifetimes = alias_set_lifetimes(graph);
      const Plan plan =
          plan_of(graph, lifetimes, choose_in_place(graph, lifetimes, testing::pointwise_kernels, conditions));
      refused += !check_plan(graph, plan).empty();
    }
    EXPECT_GT(refused, 0) << "without '" << in_place_conditions[left_out].name << "'";
  }
}

TEST(Revalidate, TakesSmallerSizesAndNamesWhatNoLongerFits) {
  const auto sized = [](const char* type, const char* feed) {
    return testing::case_of(fmt::format(R"({{
      "inputs": {{"x": {{"type": "{0}"}}}},
      "nodes": [{{"out": "a", "op": "aten.neg.default", "args": ["%x"]}},
                {{"out": "b", "op": "aten.exp.default", "args": ["%a"]}}],
      "outputs": ["%b"]}})",
                                        type),
                            feed)
        .graph;
  };
  const Plan plan = sound_plan(sized("f32[4]", R"({"x": [1, 2, 3, 4]})"));
  EXPECT_TRUE(revalidate(plan, sized("f32[4]", R"({"x": [1, 2, 3, 4]})")));
  EXPECT_TRUE(revalidate(plan, sized("f32[1]", R"({"x": [1]})")));
  const Result<void> larger = revalidate(plan, sized("f32[5]", R"({"x": [1, 2, 3, 4, 5]})"));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().reason, "the plan no longer holds: x in [0, 16) needs 20 bytes");
}

// Every slot still holds its storage, but the operand that the result overwrites is broadcast now.
TEST(Revalidate, RefusesReuseInPlaceThatTheNewSizesDoNotAllow) {
  const auto sized = [](const char* x, const char* y, const char* feed) {
    return testing::case_of(fmt::format(R"({{
      "inputs": {{"x": {{"type": "{}"}}, "y": {{"type": "{}"}}}},
      "nodes": [{{"out": "a", "op": "aten.neg.default", "args": ["%x"]}},
                {{"out": "b", "op": "aten.add.Tensor", "args": ["%a", "%y"]}},
                {{"out": "c", "op": "aten.neg.default", "args": ["%b"]}}],
      "outputs": ["%c"]}})",
                                        x, y),
                            feed)
        .graph;
  };
  const Plan plan = sound_plan(sized("f32[3]", "f32[3]", R"({"x": [1, 2, 3], "y": [1, 2, 3]})"));
  ASSERT_EQ(plan.reuses.size(), 1U);
  const Result<void> broadcast = revalidate(plan, sized("f32[1]", "f32[3]", R"({"x": [1], "y": [1, 2, 3]})"));
  ASSERT_FALSE(broadcast);
  EXPECT_EQ(broadcast.error().reason,
            "the plan no longer holds: a in [0, 12), written by #0, is overwritten by #1; it is still read by #1");
}

}  // namespace
}  // namespace parallax
