#include "oracle/bounds_by_node.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "graph/case.h"
#include "ops/profiles.h"

namespace parallax {
namespace {

// sigmoid(x) is inexact, x + x is exact, and comparing an inexact number with its own value decides nothing.
TEST(BoundsByNode, SayWhereCertaintyGoes) {
  GraphBuilder builder;
  const ValueId x = *builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({2}));
  const ValueId sum = *builder.call("aten.add.Tensor", {x, x});
  const ValueId half = *builder.call("aten.sigmoid.default", {sum});
  const ValueId less = *builder.call("aten.lt.Scalar", {half, Scalar(0.5)});
  builder.add_output(less);
  const Graph graph = builder.take();
  Tensor feed(DType::F32, {2});
  feed.set_double(0, 0);
  feed.set_double(1, 1);
  const auto bounds = bounds_by_node(graph, *find_profile("eager"), std::vector{feed});
  ASSERT_TRUE(bounds.has_value());
  ASSERT_EQ(bounds->size(), 3U);
  EXPECT_EQ(describe((*bounds)[0]), "exact");
  EXPECT_EQ((*bounds)[1].exact, 0);
  EXPECT_GT((*bounds)[1].median_ulp, 1);
  EXPECT_GE((*bounds)[1].largest_ulp, (*bounds)[1].median_ulp);
  EXPECT_EQ(describe((*bounds)[2]), "exact 1 of 2; undecided 1 of 2: inexact_compare");
}

TEST(BoundsByNode, CountTheRadiusInUnitsOfTheLastPlace) {
  EXPECT_EQ(radius_in_ulps(DType::F32, {1.5, 0x1p-22, false, false, Undecided::No}), 2);
  EXPECT_EQ(radius_in_ulps(DType::F16, {2, 0x1p-9, false, false, Undecided::No}), 1);
  EXPECT_EQ(radius_in_ulps(DType::F32, {0, 0x1p-149, false, false, Undecided::No}), 1) << "subnormals have one size";
}

}  // namespace
}  // namespace parallax
