// One program at several sizes: what is worked out anew, what is kept, and what is refused.
#include "compiler/resize.h"

#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/builds.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/compile.h"
#include "compiler/rewriter.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"
#include "graph/runs.h"
#include "planner/plan_checker.h"
#include "tests/support/portable_ops.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using testing::mean_case;
using testing::symbolic_case;

TEST(Resize, IsWhatCompilingThereGives) {
  const Case test = mean_case();
  const Program program = compile(test.graph, test.symbols, {}).value();
  for (int64_t size : {1, 2, 3, 4}) {
    const Result<Program> resized = resize(program, {size}, {});
    ASSERT_TRUE(resized) << resized.error().text();
    const Program there = compile(at_sizes(test.graph, test.symbols, {size}).value(), {}).value();
    EXPECT_TRUE(same_graph(resized->graph, there.graph)) << size;
    EXPECT_TRUE(check_plan(schedule_of(*resized), resized->plan).empty()) << size;
    EXPECT_EQ(resized->plan, program.plan) << "nothing outgrows what the bound needs";
  }
}

TEST(Resize, TheCountsOfAVarianceFollowTheSizes) {
  const Case test = testing::variance_case();
  const Program program = compile(test.graph, test.symbols, {}).value();
  ASSERT_EQ(program.varying.size(), 2U);
  for (const VaryingNumber& number : program.varying) {
    EXPECT_EQ(number.slopes, std::vector<double>{1});
    EXPECT_EQ(number.constant, 0);
  }
}

TEST(Resize, AProgramIsMadeForOneSizeAtATime) {
  const Case test = mean_case();
  const Program program = compile(test.graph, test.symbols, {}).value();
  const Result<Program> outside = resize(program, {5}, {});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().reason, "B is 5, outside [1, 4]");
}

// Seven is none of the sizes that a compilation tries.
bool takes_all_but_seven(const Graph& graph, const Node& node) {
  return graph.meta(node.results.front()).layout.sizes[0] != 7;
}
bool takes_many(const Graph& graph, const Node& node) { return graph.meta(node.results.front()).layout.sizes[0] > 2; }

TEST(Resize, ABackendHasItsSayAtEverySize) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
    "symbols": {"B": [1, 400]}, "graph": {
      "inputs": {"x": {"type": "f32[B]"}},
      "nodes": [{"out": "y", "op": "aten.neg.default", "args": ["%x"]}], "outputs": ["%y"]},
    "runs": [{"feed": {"x": {"type": "f32[3]", "data": [1, 2, 3]}}}]})");
  ASSERT_TRUE(test) << test.error().text();
  CompileOptions options;
  options.backends = {Backend{"many", takes_many}, Backend{"picky", takes_all_but_seven}};
  const Program program = compile(test->graph, test->symbols, options).value();
  EXPECT_EQ(program.partitions.front().backend, 1U) << "the first does not take two elements";
  EXPECT_TRUE(resize(program, {6}, options));
  const Result<Program> refused = resize(program, {7}, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Unsupported);
  EXPECT_EQ(refused.error().reason, "picky does not take node 'y' (aten.neg.default) at these sizes");
}

// The divisor is the larger of B - 3 and 0, which bends at 3.
TEST(Resize, WhatDoesNotGrowInStepIsRefusedByName) {
  const Case test = symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "nodes": [{"out": "a", "op": "aten.sum.dim_IntList", "args": ["%x", [0]]},
              {"out": "v", "op": "aten.var.correction", "args": ["%x", [0]], "kwargs": {"correction": 3}},
              {"out": "e", "op": "aten.add.Tensor", "args": ["%a", "%v"]}],
    "outputs": ["%e"]})");
  const Result<Program> program = compile(test.graph, test.symbols, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(program.error().reason.find("'v"), std::string::npos) << program.error().reason;
}

// The variance of one row is divided by nothing, that of more by their number.
TEST(Resize, WhereTheProgramIsAnotherOneItIsCompiledAlone) {
  const Result<Case> test = parse_case(R"({"parallax": 1, "name": "t", "requires": ["runs", "symbols"],
    "symbols": {"B": [1, 4]}, "graph": {
      "inputs": {"x": {"type": "f32[B,2]"}},
      "buffers": {"s": {"type": "f32[2]", "data": [0, 10]}},
      "nodes": [{"out": "v", "op": "aten.var.correction", "args": ["%x", [0]], "kwargs": {"correction": 0}},
                {"out": "a", "op": "aten.add_.Tensor", "args": ["%s", "%v"]}],
      "outputs": ["%v"]},
    "runs": [{"feed": {"x": {"type": "f32[3,2]", "data": [1, 2, 3, 4, 5, 6]}}},
             {"feed": {"x": {"type": "f32[1,2]", "data": [3, 1]}}},
             {"feed": {"x": {"type": "f32[4,2]", "data": [1, 2, 3, 4, 5, 6, 7, 8]}}}]})");
  ASSERT_TRUE(test) << test.error().text();
  const Program program = compile(test->graph, test->symbols, {}).value();
  EXPECT_TRUE(is_compiled_alone(program, {1}));
  EXPECT_FALSE(is_compiled_alone(program, {2}));
  const Examination examination = examine(*make_compiled_target("portable", {}).value(), *test);
  EXPECT_EQ(examination.judgement.verdict, Verdict::Match) << examination.judgement.reason;
  EXPECT_EQ(examination.outcome.recompiled, 1);
}

// A plan that serves two rows leaves no room for four.
TEST(Resize, APlanThatNoLongerHoldsIsMadeAnew) {
  const Case test = mean_case();
  Program program = resize(compile(test.graph, test.symbols, {}).value(), {2}, {}).value();
  program.plan = compile(at_sizes(test.graph, test.symbols, {2}).value(), {}).value().plan;
  const Result<Program> larger = resize(program, {4}, {});
  ASSERT_TRUE(larger) << larger.error().text();
  EXPECT_NE(larger->plan, program.plan);
  EXPECT_TRUE(check_plan(schedule_of(*larger), larger->plan).empty());
}

TEST(Resize, ThePlanHoldsAtEverySizeAndIsMostlyKept) {
  int made_anew = 0;
  int kept = 0;
  for (uint64_t stream = 0; stream < 400; ++stream) {
    Choices choices(5, stream);
    GenerateOptions options = testing::portable_options();
    options.profile = GenerateProfile::Shape;
    const Case test = generate(choices, options);
    if (test.symbols.empty()) continue;
    const CompileOptions how = runtime::compile_options(runtime::full_build);
    Result<Program> program = compile(test.graph, test.symbols, how);
    if (!program) continue;
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      if (is_compiled_alone(*program, sizes_of_run(test, run))) continue;
      const Result<Program> resized = resize(*program, sizes_of_run(test, run), how);
      ASSERT_TRUE(resized) << stream << ": " << resized.error().text();
      EXPECT_TRUE(check_plan(schedule_of(*resized), resized->plan).empty()) << stream;
      (resized->plan == program->plan ? kept : made_anew) += 1;
      program = *resized;
    }
  }
  EXPECT_GT(kept, 20);
  EXPECT_LT(made_anew, kept);
}

}  // namespace
}  // namespace parallax
