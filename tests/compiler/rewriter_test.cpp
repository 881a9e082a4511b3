// The rewriter: what it takes over from the old graph is what inferring would give.
#include "compiler/rewriter.h"

#include <gtest/gtest.h>

#include "backends/runtime/pass_checks.h"
#include "fuzz/generate/generate.h"

namespace parallax {
namespace {

Graph drawn(GenerateProfile profile, uint64_t seed) {
  Choices choices(seed, 0);
  return generate(choices, {profile, 4, 22, nullptr}).graph;
}

TEST(Rewriter, TakesOverWhatInferringGives) {
  int several = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = drawn(static_cast<GenerateProfile>(seed % 6), seed);
    const Result<Graph> taken = renumbered(graph);
    const Result<Graph> inferred = renumbered(graph, OldMetas::InferredAnew);
    ASSERT_TRUE(taken && inferred) << seed;
    EXPECT_TRUE(same_graph(*taken, *inferred)) << seed;
    several += graph.nodes.size() > 3;
  }
  EXPECT_GT(several, 250);
}

// x and y of other strides; neg keeps the strides of its operand.
TEST(Rewriter, InfersWhatHasOtherOperands) {
  GraphBuilder builder;
  const Layout rows = contiguous_layout({2, 3});
  const Layout columns{{2, 3}, {1, 2}, 0};
  const ValueId x = builder.add_source(SourceKind::Input, "x", DType::F32, rows, {}).value();
  const ValueId y = builder.add_source(SourceKind::Input, "y", DType::F32, columns, {}).value();
  const ValueId a = builder.call("aten.neg.default", {x}, "a").value();
  const ValueId b = builder.call("aten.exp.default", {a}, "b").value();
  builder.add_output(b);
  const Graph graph = builder.take();
  Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.add(graph.nodes[0], {rewriter[y]}));
  ASSERT_TRUE(rewriter.copy(graph.nodes[1]));
  const Graph made = rewriter.finish();
  EXPECT_EQ(made.meta(made.nodes[0].results[0]).layout, columns);
  EXPECT_EQ(made.meta(made.outputs[0]).layout, columns);
  EXPECT_TRUE(validate(made));
}

// An alias lies in whatever its operand lies in, and as_strided reaches no further than that storage does.
TEST(Rewriter, KeepsViewsInTheMemoryOfTheirOperands) {
  GraphBuilder builder;
  const Layout square = contiguous_layout({2, 2});
  const ValueId x = builder.add_source(SourceKind::Input, "x", DType::F32, square, {}).value();
  const ValueId y = builder.add_source(SourceKind::Input, "y", DType::F32, contiguous_layout({2}), {}).value();
  const ValueId row = builder.call("aten.select.int", {x, Scalar(int64_t{0}), Scalar(int64_t{0})}, "row").value();
  const ValueId twin = builder.call("aten.alias.default", {row}, "twin").value();
  const ValueId all =
      builder.call("aten.as_strided.default", {row, IntList{4}, IntList{1}, Scalar(int64_t{0})}, "all").value();
  builder.add_output(twin);
  builder.add_output(all);
  const Graph graph = builder.take();
  Rewriter rewriter(graph);
  rewriter.map(row, rewriter[y]);
  ASSERT_TRUE(rewriter.copy(graph.nodes[1]));
  EXPECT_EQ(rewriter.meta(rewriter[twin]).storage, rewriter.meta(rewriter[y]).storage);
  const Result<void> refused = rewriter.copy(graph.nodes[2]);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("pass the end"), std::string::npos) << refused.error().text();
}

}  // namespace
}  // namespace parallax
