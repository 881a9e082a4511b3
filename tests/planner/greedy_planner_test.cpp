// The greedy planner: what it gives is sound, and it uses memory again.
#include "planner/greedy_planner.h"

#include <gtest/gtest.h>

#include "core/choices.h"
#include "graph/builder.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

using testing::value_named;

// A graph of `count` storages of sizes drawn from few, whose live ranges are drawn apart: the planner sees only the
// ranges.
struct Intervals {
  Graph graph;
  Lifetimes lifetimes;
};

Intervals draw_intervals(Choices& choices, int count) {
  GraphBuilder builder;
  for (int i = 0; i < count; ++i) {
    const int64_t elements = choices.between(0, 4);
    (void)builder.add_source(SourceKind::Input, "x" + std::to_string(i), DType::F32, contiguous_layout({elements}));
  }
  Intervals intervals{builder.take(), {}};
  for (int i = 0; i < count; ++i) {
    const int first = static_cast<int>(choices.below(20));
    intervals.lifetimes.push_back({Place::Arena, {first, first + static_cast<int>(choices.below(8))}});
  }
  return intervals;
}

bool share_bytes(const Slot& a, const Slot& b) { return a.offset < b.end() && b.offset < a.end(); }

TEST(GreedyPlanner, NeverPutsTwoLiveStoragesIntoOneByte) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Choices choices(seed, 0);
    const int64_t alignment = int64_t{1} << choices.below(5);
    const Intervals drawn = draw_intervals(choices, 12);
    const Plan plan = plan_greedily(drawn.graph, drawn.lifetimes, alignment);
    for (std::size_t a = 0; a < plan.placements.size(); ++a) {
      const Slot& slot = plan.placements[a].slot;
      EXPECT_EQ(slot.size, storage_bytes(drawn.graph, StorageId(a)));
      EXPECT_EQ(slot.offset % alignment, 0);
      EXPECT_LE(slot.end(), plan.arena_size);
      for (std::size_t b = 0; b < a; ++b) {
        if (drawn.lifetimes[a].range.overlaps(drawn.lifetimes[b].range)) {
          EXPECT_FALSE(share_bytes(slot, plan.placements[b].slot)) << a << " and " << b;
        }
      }
    }
  }
}

TEST(GreedyPlanner, GivesAChainOfEqualSizesTwoSlots) {
  const Case test = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[3]"}},
    "nodes": [
      {"out": "a", "op": "aten.neg.default", "args": ["%x"]},
      {"out": "b", "op": "aten.neg.default", "args": ["%a"]},
      {"out": "c", "op": "aten.neg.default", "args": ["%b"]},
      {"out": "d", "op": "aten.neg.default", "args": ["%c"]},
      {"out": "e", "op": "aten.neg.default", "args": ["%d"]}
    ],
    "outputs": ["%e"]})",
                                     R"({"x": [1, 2, 3]})");
  const Plan plan = plan_greedily(test.graph, alias_set_lifetimes(test.graph), 8);
  EXPECT_EQ(plan.arena_size, 28);  // 12 bytes, then 12 at the next multiple of 8
  const auto slot = [&](std::string_view name) {
    return plan.placement(test.graph.meta(value_named(test.graph, name)).storage).slot;
  };
  EXPECT_EQ(slot("a"), slot("c"));
  EXPECT_EQ(slot("b"), slot("d"));
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
  const auto lifetime = [&](std::string_view name) {
    return lifetimes[test.graph.meta(value_named(test.graph, name)).storage.index];
  };
  EXPECT_EQ(lifetime("a"), (Lifetime{Place::Arena, {0, 4}}));
  EXPECT_EQ(lifetime("b").place, Place::Returned) << "its view w is returned";
  EXPECT_EQ(lifetime("c").place, Place::Returned);
  EXPECT_EQ(lifetime("x").place, Place::Caller);
}

}  // namespace
}  // namespace parallax
