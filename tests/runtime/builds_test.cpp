// Builds: every way of compiling gives the same bits, and the ladder names the part that breaks them.
#include "backends/runtime/builds.h"

#include <gtest/gtest.h>

#include "fuzz/generate/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax::runtime {
namespace {

std::function<Result<LoadedRuns>(const Build&)> builder(const Case& test, std::vector<std::string> faults = {}) {
  return [&test, set = FaultSet::of(faults).value()](const Build& build) -> Result<LoadedRuns> {
    CompileOptions options = compile_options(build);
    options.faults = set;
    TRY(Program program, compile(test.graph, options));
    TRY(Loaded executable, load(std::move(program)));
    return LoadedRuns{executable};
  };
}

TEST(Builds, AllGiveTheSameBits) {
  std::size_t partitions = 0;
  std::size_t groups = 0;
  std::size_t reuses = 0;
  std::size_t joins = 0;
  // Half of the graphs are of the few ops that what is counted here happens to most.
  const Vocabulary few([](const Op& op) {
    constexpr std::array words = {"aten.add.Tensor", "aten.mul.Tensor", "aten.exp.default", "aten.cat.default"};
    return op.is_view() || std::ranges::find(words, op.name) != words.end();
  });
  for (uint64_t stream = 0; stream < 1000; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 43, stream " << stream);
    Choices choices(43, stream);
    GenerateOptions options = testing::portable_options();
    if (stream % 2 == 1) options.words = &few;
    const Case test = generate(choices, options);
    const auto make = builder(test);
    const auto wrong = first_wrong_build(test, make);
    EXPECT_FALSE(wrong) << wrong->summary;
    const Result<LoadedRuns> full = make(full_build);
    ASSERT_TRUE(full) << full.error().text();
    const Program& program = full->front()->program;
    partitions += program.partitions.size();
    groups += program.groups.size();
    reuses += program.plan.reuses.size();
    joins += program.joins.size();
    for (const PlanFailure& failure : check_plan(schedule_of(program), program.plan)) {
      ADD_FAILURE() << describe(program.graph, failure);
    }
    for (const PlanFailure& failure : sanitized_run(full->front(), test.feed))
      ADD_FAILURE() << describe(program.graph, failure);
  }
  EXPECT_GT(partitions, 2000U);
  EXPECT_GT(groups, 100U);
  EXPECT_GT(reuses, 50U);
  EXPECT_GT(joins, 5U);
}

TEST(Builds, TheLadderNamesThePartThatBreaksThem) {
  const Case test = testing::elided_copy_case();
  const auto wrong = first_wrong_build(test, builder(test, {"F01"}));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->blame, "planner");
  const Case returned = testing::case_of(R"({
    "inputs": {"x": {"type": "f32[2]"}},
    "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]},
              {"out": "b", "op": "aten.exp.default", "args": ["%a"]}],
    "outputs": ["%a", "%b"]})",
                                         R"({"x": [1, 2]})");
  const auto fused = first_wrong_build(returned, builder(returned, {"F11"}));
  ASSERT_TRUE(fused);
  EXPECT_EQ(fused->blame, "fusion");
}

TEST(Builds, ALoopOfSeveralBlocksTakesRowsAndSingleElements) {
  std::string x;
  for (int i = 0; i < 60; ++i) x += (i ? ", " : "") + std::to_string(i);
  const Case test =
      testing::case_of(R"({
    "inputs": {"x": {"type": "f32[3,4,5]"}, "row": {"type": "f32[4,5]"}, "one": {"type": "f32[1]"}},
    "nodes": [{"out": "a", "op": "aten.mul.Tensor", "args": ["%x", "%row"]},
              {"out": "b", "op": "aten.sub.Tensor", "args": ["%one", "%a"]},
              {"out": "c", "op": "aten.abs.default", "args": ["%b"]}],
    "outputs": ["%c", "%a"]})",
                       R"({"x": [)" + x + R"(], "row": [)" + x.substr(0, x.find(", 20")) + R"(], "one": [7]})");
  const Result<LoadedRuns> full = builder(test)(full_build);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->front()->program.groups.size(), 1U);
  EXPECT_FALSE(first_wrong_build(test, builder(test)));
}

}  // namespace
}  // namespace parallax::runtime
