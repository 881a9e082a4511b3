#include "graph/sketch.h"

#include <gtest/gtest.h>

#include <tuple>

#include "graph/builder.h"
#include "graph/case_json.h"
#include "graph/removal.h"
#include "reducers/reduction_passes.h"
#include "reducers/size.h"
#include "tests/reducers/generated_cases.h"

namespace parallax {
namespace {

using testing::generated_case;
using testing::record_ones;

Argument number(int64_t n) { return Scalar(n); }

Case with_zero_feed(GraphBuilder& builder) {
  Case test;
  test.graph = builder.take();
  for (const FeedSlot& slot : feed_slots(test.graph)) test.feed.emplace_back(slot.dtype, slot.layout.sizes);
  return test;
}

// y = x.view([2, 3]); z = y[:, 0:3]; r = neg(z), over x: f32[6].
Case sized_case() {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({6}));
  const ValueId y = *builder.call("aten.view.default", {x, IntList{2, 3}}, "y");
  const ValueId z = *builder.call("aten.slice.Tensor", {y, number(1), number(0), number(3), number(1)}, "z");
  builder.add_output(*builder.call("aten.neg.default", {z}, "r"));
  return with_zero_feed(builder);
}

TEST(Rebuild, PutsTogetherWhatItTookApart) {
  for (uint64_t stream = 0; stream < 300; ++stream) {
    const Case test = generated_case(31, stream, 12);
    const std::optional<Case> again = put_together(take_apart(test), test);
    ASSERT_TRUE(again.has_value()) << "stream " << stream << ": " << to_json(test);
    EXPECT_EQ(to_json(*again), to_json(test)) << "stream " << stream;
  }
}

TEST(Rebuild, RefusesASketchThatLacksAnOperand) {
  const Case test = sized_case();
  Sketch sketch = take_apart(test);
  sketch.nodes.erase(sketch.nodes.begin());
  EXPECT_FALSE(put_together(sketch, test).has_value());
}

TEST(Rebuild, RefusesASketchWithoutOutputs) {
  const Case test = sized_case();
  Sketch sketch = take_apart(test);
  sketch.outputs.clear();
  EXPECT_FALSE(put_together(sketch, test).has_value());
}

TEST(Rebuild, InfersEverythingBehindAStandInAnew) {
  const Case test = sized_case();
  Sketch sketch = take_apart(test);
  Tensor wide(DType::F32, Dims{4, 5});
  const ValueId y = test.graph.nodes[0].results[0];
  sketch.nodes.erase(sketch.nodes.begin());
  stand_in_source(sketch, SourceKind::Input, y, "y", wide);
  const std::optional<Case> rebuilt = put_together(sketch, test);
  ASSERT_TRUE(rebuilt.has_value());
  EXPECT_EQ(rebuilt->graph.meta(rebuilt->graph.outputs[0]).layout.sizes, (Dims{4, 3}));
}

TEST(Rebuild, DropsDeadNodesButNotWritesThatShow) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2, 2}));
  const ValueId a = *builder.call("aten.neg.default", {x}, "a");
  builder.add_output(a);
  const ValueId row = *builder.call("aten.select.int", {x, number(0), number(0)}, "row");
  std::ignore = builder.call("aten.neg_.default", {row}, "written");  // shows in the input
  const ValueId dead = *builder.call("aten.neg.default", {a}, "dead");
  std::ignore = builder.call("aten.neg_.default", {dead}, "dead_write");
  const Case pruned = without_dead_nodes(with_zero_feed(builder));
  std::vector<std::string> names;
  for (const Node& node : pruned.graph.nodes) names.push_back(node.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "row", "written"}));
}

TEST(DimCandidates, RescaleShapesThatTheArgumentsSpellOut) {
  const std::vector<Edit> candidates = dim_candidates(sized_case(), record_ones);
  ASSERT_FALSE(candidates.empty());
  bool halved = false;
  for (const Edit& edit : candidates) {
    const Graph& graph = edit.result.graph;
    EXPECT_EQ(graph.meta(graph.nodes[0].results[0]).layout.numel(), graph.meta(graph.sources[0].value).layout.numel());
    halved = halved || graph.meta(graph.sources[0].value).layout.sizes == Dims{3};
  }
  EXPECT_TRUE(halved);
}

TEST(DimCandidates, KeepTheFirstOrTheLastElements) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({4}));
  builder.add_output(*builder.call("aten.neg.default", {x}));
  Case test = with_zero_feed(builder);
  for (int i = 0; i < 4; ++i) test.feed[0].set_double(i, i);
  std::vector<double> kept;
  for (const Edit& edit : dim_candidates(test, record_ones)) {
    const Tensor& fed = edit.result.feed[0];
    if (fed.numel() == 1) kept.push_back(fed.get_double(0));
  }
  EXPECT_EQ(kept, (std::vector<double>{0, 3}));
}

TEST(SourceCandidates, MakeWindowsAndBuffersPlainInputsWithTheirData) {
  GraphBuilder builder;
  Tensor state(DType::F32, Dims{4});
  for (int i = 0; i < 4; ++i) state.set_double(i, i);
  const StorageId storage = *builder.add_storage("m", DType::F32, Dims{4}, state);
  const ValueId s = *builder.add_window(SourceKind::Buffer, "s", DType::F32, Layout{{2}, {2}, 1}, storage);
  builder.add_output(*builder.call("aten.neg.default", {s}));
  const Case test = with_zero_feed(builder);
  const std::vector<Edit> candidates = source_candidates(test, record_ones);
  ASSERT_FALSE(candidates.empty());
  const Case& plain = candidates.front().result;
  ASSERT_EQ(plain.feed.size(), 1u);
  EXPECT_EQ(plain.feed[0].get_double(0), 1);
  EXPECT_EQ(plain.feed[0].get_double(1), 3);
  EXPECT_EQ(size_of_case(plain).state, 0);
}

TEST(CaseSize, ComparesNodesBeforeEverythingElse) {
  CaseSize few{.nodes = 1, .state = 9, .alias_edges = 9, .ends = 9, .elements = 999};
  CaseSize many{.nodes = 2};
  EXPECT_LT(few, many);
}

struct ValueCost {
  double x;
  int64_t cost;
};

TEST(CaseSize, CountsWhatANumberCostsToRead) {
  for (const ValueCost& row :
       {ValueCost{0, 0}, ValueCost{1, 1}, ValueCost{2, 2}, ValueCost{-2, 3}, ValueCost{0.125, 6}}) {
    GraphBuilder builder;
    builder.add_output(*builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({})));
    Case test = with_zero_feed(builder);
    test.feed[0].set_double(0, row.x);
    EXPECT_EQ(size_of_case(test).values, row.cost) << row.x;
  }
}

}  // namespace
}  // namespace parallax
