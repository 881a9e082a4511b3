// Corner calls: what is changed of a call, and that nothing else is.
#include "fuzz/generate/corner_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fuzz/generate/single_op.h"
#include "graph/case_json.h"
#include "ops/registry.h"

namespace parallax {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The first case of a call of the op that can be drawn.
Case call_of(std::string_view op, DType dtype) {
  for (uint64_t stream = 0; stream < 40; ++stream) {
    if (auto test = SingleOpPool::of(dtype).draw_case(op_named(op), stream)) return *std::move(test);
  }
  ADD_FAILURE() << "no call of " << op;
  return {};
}

std::vector<std::string> abouts(const Case& call) {
  std::vector<std::string> texts;
  for (const CornerCall& corner : corner_calls(call, 0)) texts.push_back(corner.about);
  return texts;
}

TEST(CornerCalls, LeaveArgumentsOutAndGiveTheirEnds) {
  const auto cumsum = abouts(call_of("aten.cumsum.default", DType::F32));
  EXPECT_THAT(cumsum, Contains(HasSubstr("dtype=f16")));
  EXPECT_THAT(abouts(call_of("aten.sum.dim_IntList", DType::F32)), Contains(HasSubstr("sum(x0, []")));
  EXPECT_THAT(abouts(call_of("aten.clamp.default", DType::F32)), Contains(HasSubstr("nan")));
  EXPECT_THAT(abouts(call_of("aten.add.Tensor", DType::Bool)), Contains(HasSubstr("alpha=-1")));
}

TEST(CornerCalls, GiveAResultTheSizeOfItsOperand) {
  const Case call = call_of("aten.upsample_linear1d.default", DType::F32);
  const int64_t extent = call.graph.meta(call.graph.sources[0].value).layout.sizes[2];
  EXPECT_THAT(abouts(call), Contains(HasSubstr(fmt::format("upsample_linear1d(x0, [{}]", extent))));
}

TEST(CornerCalls, ChangeExtentsAndElements) {
  const auto texts = abouts(call_of("aten.add.Tensor", DType::F32));
  for (const char* wanted :
       {" = 0", " = 1", "without dimensions", "x0 = -0", "x0 = 0, -0", "x0 = nan", "x0 = inf, -inf"}) {
    EXPECT_THAT(texts, Contains(HasSubstr(wanted))) << wanted;
  }
}

// Out of range they would only be refused.
TEST(CornerCalls, LeaveIndicesAsTheyAreDrawn) {
  const Case call = call_of("aten.index_select.default", DType::F32);
  for (const CornerCall& corner : corner_calls(call, 0)) EXPECT_FALSE(corner.about.starts_with("x1 =")) << corner.about;
}

// As cases: 0 and 0.0 read alike in a call.
TEST(CornerCalls, AreCallsOfTheSameOpAndDifferFromEachOther) {
  for (const Op& op : all_ops()) {
    if (!op.sample) continue;
    const auto call = SingleOpPool::of(DType::F32).draw_case(op, 0);
    if (!call) continue;
    std::set<std::string> seen;
    for (const CornerCall& corner : corner_calls(*call, 0)) {
      ASSERT_EQ(corner.test.graph.nodes.size(), 1u) << op.name;
      EXPECT_EQ(corner.test.graph.nodes[0].op, &op) << corner.about;
      Case unnamed = corner.test;
      unnamed.name.clear();
      EXPECT_TRUE(seen.insert(to_json(unnamed)).second) << corner.test.name;
    }
  }
}

}  // namespace
}  // namespace parallax
