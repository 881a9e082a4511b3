// Every overload that rounds has a perturbed implementation.
#include "tests/soundness/inexact_ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

bool is_covered(std::string_view op) { return std::ranges::find(plain_ops(), op, &PlainOp::name) != plain_ops().end(); }

TEST(InexactOverloads, HaveAPerturbedImplementation) {
  const std::vector<std::string_view> inexact = inexact_overloads();
  for (const std::string_view op : inexact) EXPECT_TRUE(is_covered(op)) << op << " rounds";
  // The search itself: it finds what rounds in each way there is, and nothing that only moves elements.
  for (const std::string_view op : {"aten.add.Tensor", "aten.exp.default", "aten.sum.default", "aten.mm.default",
                                    "aten.index_add.default", "aten.grid_sampler_3d.default", "aten.full.default",
                                    "aten.float_power.Tensor_Tensor", "aten.conv_transpose2d.input"}) {
    EXPECT_THAT(inexact, testing::Contains(op));
  }
  for (const std::string_view op :
       {"aten.neg.default", "aten.gather.default", "aten.amax.default", "aten.clone.default"}) {
    EXPECT_THAT(inexact, testing::Not(testing::Contains(op)));
  }
}

TEST(PlainOps, AreOneForEachOverload) {
  std::vector<std::string_view> names;
  for (const PlainOp& op : plain_ops()) names.push_back(op.name);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
}  // namespace parallax
