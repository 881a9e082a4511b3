// Decompositions: every row keeps the meaning on calls that are drawn for it, at every dtype, and gives results that
// lie in memory as eager's do.
#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "backends/runtime/pass_checks.h"
#include "compiler/decomposition.h"
#include "fuzz/generate/single_op.h"
#include "ops/registry.h"
#include "tests/support/graph_text.h"

namespace parallax {
namespace {

TEST(Decompose, KeepsTheMeaningOfEveryOpAtEveryDtype) {
  const std::unique_ptr<Target> target = make_compiled_target("portable").value();
  int rows = 0;
  for (const Op& op : all_ops()) {
    if (!is_decomposed(op)) continue;
    int taken_apart = 0;
    for (int dtype = 0; dtype < dtype_count; ++dtype) {
      const SingleOpPool& pool = SingleOpPool::of(static_cast<DType>(dtype));
      for (uint64_t stream = 0; stream < 3; ++stream) {
        const std::optional<Case> test = pool.draw_case(op, stream);
        if (!test) continue;
        SCOPED_TRACE(op.name + " of " + std::string(name(static_cast<DType>(dtype))));
        for (const PassFailure& failure : check_passes(*test, {}, target->profile())) {
          ADD_FAILURE() << failure.pass << " " << failure.what;
        }
        const Examination examination = examine(*target, *test);
        EXPECT_FALSE(is_finding(examination.judgement.verdict)) << examination.judgement.reason;
        taken_apart += examination.judgement.verdict == Verdict::Match;
      }
    }
    rows += taken_apart > 0;
  }
  EXPECT_GT(rows, 90);
}

TEST(Decompose, LeavesTheLayoutThatEagerMakes) {
  for (const Op& op : all_ops()) {
    if (!is_decomposed(op) || op.writes()) continue;
    const std::optional<Case> test = SingleOpPool::of(DType::F32).draw_case(op, 1);
    if (!test) continue;
    const Result<Graph> apart = decompose(test->graph, {});
    ASSERT_TRUE(apart) << op.name << ": " << apart.error().text();
    for (std::size_t i = 0; i < test->graph.outputs.size(); ++i) {
      EXPECT_EQ(apart->meta(apart->outputs[i]).layout, test->graph.meta(test->graph.outputs[i]).layout) << op.name;
      EXPECT_EQ(apart->name(apart->outputs[i]), test->graph.name(test->graph.outputs[i])) << op.name;
    }
  }
}

TEST(Decompose, RoundsHalvesOnceAtTheEnd) {
  const Case test = testing::case_of(R"({"inputs": {"x": {"type": "f16[2]"}},
    "nodes": [{"out": "a", "op": "aten.silu.default", "args": ["%x"]}], "outputs": ["%a"]})",
                                     R"({"x": [1, 2]})");
  EXPECT_EQ(testing::ops_of(decompose(test.graph, {}).value()), "_to_copy neg exp add div _to_copy");
}

TEST(Decompose, MakesTheRunningStatisticsOfABatchNormCopies) {
  const Case test = testing::case_of(
      R"({"inputs": {"x": {"type": "f32[2,1]"}, "m": {"type": "f32[1]"}, "v": {"type": "f32[1]"}},
          "nodes": [{"out": "n", "op": "aten._native_batch_norm_legit.default",
                     "args": ["%x", null, null, "%m", "%v", true, 0.5, 0.0]},
                    {"out": "y", "op": "getitem", "args": ["%n", 0]}],
          "outputs": ["%y"]})",
      R"({"x": [1, 3], "m": [0], "v": [1]})");
  const std::unique_ptr<Target> target = make_compiled_target("portable").value();
  const Examination examination = examine(*target, test);
  // With no eps the second feed's variance of 0 has an inverse that nothing sharp is known of.
  ASSERT_FALSE(is_finding(examination.judgement.verdict)) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.a->inputs[1].value().get_double(0), 1);    // half of the mean 2
  EXPECT_EQ(examination.outcome.a->inputs[2].value().get_double(0), 1.5);  // half of 1, and of the unbiased 2
}

}  // namespace
}  // namespace parallax
