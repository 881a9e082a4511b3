#include "oracle/case_windows.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "oracle/record.h"

namespace parallax {
namespace {

// neg, neg, add_ into the first neg, exp.
Case written_case() {
  GraphBuilder builder;
  Case test;
  Tensor data(DType::F32, {2});
  data.set_double(0, 1);
  data.set_double(1, 2);
  test.feed.push_back(data);
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId first = *builder.call("aten.neg.default", {x}, "first");
  const ValueId second = *builder.call("aten.neg.default", {first}, "second");
  const ValueId sum = *builder.call("aten.add_.Tensor", {first, second}, "sum");
  builder.add_output(*builder.call("aten.exp.default", {sum}, "last"));
  test.graph = builder.take();
  return test;
}

TEST(CaseWindows, CoverTheGraphAndOverlap) {
  const Case test = written_case();
  const std::vector<Window> windows = windows_of(test.graph, 2);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0], (Window{0, 2}));
  EXPECT_EQ(windows[2].end, 4U);
  for (std::size_t i = 1; i < windows.size(); ++i) EXPECT_LT(windows[i].begin, windows[i - 1].end);
}

TEST(CaseWindows, AWriteStaysWithTheNodeThatMakesItsMemory) {
  const std::vector<Window> windows = windows_of(written_case().graph, 2);
  EXPECT_EQ(windows[1].begin, 0U) << "nodes 1 and 2 write what node 0 made";
}

TEST(CaseWindows, AWindowTakesWhatTheProgramHolds) {
  const Case test = written_case();
  const auto values = record_values(test);
  ASSERT_TRUE(values);
  const auto part = CaseWindows(test).at({1, 2}, *values);
  ASSERT_TRUE(part);
  ASSERT_EQ(part->graph.nodes.size(), 1U);
  ASSERT_EQ(part->feed.size(), 1U);
  EXPECT_EQ(part->feed[0].get_double(0), -1);
  EXPECT_EQ(part->graph.outputs.size(), 1U);
}

}  // namespace
}  // namespace parallax
