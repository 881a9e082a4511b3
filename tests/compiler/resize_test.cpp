// One program at several sizes: what is worked out anew, what is kept, and what is refused.
#include "compiler/resize.h"

#include <gtest/gtest.h>

#include "backends/portable/builds.h"
#include "compiler/compile.h"
#include "compiler/rewriter.h"
#include "fuzz/generate.h"
#include "planner/plan_checker.h"
#include "tests/support/portable_ops.h"
#include "tests/support/symbolic_case.h"

namespace parallax {
namespace {

using testing::mean_case;
using testing::symbolic_case;

CompileOptions full_options() { return portable::compile_options(portable::full_build); }

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

TEST(Resize, TheCountOfAMeanFollowsTheSizes) {
  const Case test = mean_case();
  const Program program = compile(test.graph, test.symbols, {}).value();
  ASSERT_EQ(program.varying.size(), 1U);
  EXPECT_EQ(program.varying[0].constant, 0);
  EXPECT_EQ(program.varying[0].slopes, std::vector<double>{1});
}

TEST(Resize, AProgramIsMadeForOneSizeAtATime) {
  const Case test = mean_case();
  const Program program = compile(test.graph, test.symbols, {}).value();
  const Result<Program> outside = resize(program, {5}, {});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().reason, "B is 5, outside [1, 4]");
}

// var divides by B - 1, but scales by nothing that grows in step where the correction is more than the size.
TEST(Resize, WhatDoesNotGrowInStepIsRefusedByName) {
  const Case test = symbolic_case(R"({
    "inputs": {"x": {"type": "f32[B,2]"}},
    "nodes": [{"out": "a", "op": "aten.sum.dim_IntList", "args": ["%x", [0]]},
              {"out": "v", "op": "aten.var.correction", "args": ["%x", [0]], "kwargs": {"correction": 2}},
              {"out": "e", "op": "aten.add.Tensor", "args": ["%a", "%v"]}],
    "outputs": ["%e"]})");
  const Result<Program> program = compile(test.graph, test.symbols, {});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, ErrorKind::Unsupported);
  EXPECT_NE(program.error().reason.find("'v"), std::string::npos) << program.error().reason;
}

// At B = 1 the sum is broadcast over its own operand's slot: the plan of the bound would write what is still read.
TEST(Resize, APlanThatNoLongerHoldsIsMadeAnew) {
  int made_anew = 0;
  int kept = 0;
  for (uint64_t stream = 0; stream < 400; ++stream) {
    Choices choices(5, stream);
    GenerateOptions options = testing::portable_options();
    options.profile = GenerateProfile::Shape;
    const Case test = generate(choices, options);
    if (test.symbols.empty()) continue;
    const CompileOptions how = full_options();
    Result<Program> program = compile(test.graph, test.symbols, how);
    if (!program) continue;
    for (std::size_t run = 0; run <= test.later.size(); ++run) {
      const Result<Program> resized = resize(*program, sizes_of_run(test, run), how);
      ASSERT_TRUE(resized) << stream << ": " << resized.error().text();
      EXPECT_TRUE(check_plan(schedule_of(*resized), resized->plan).empty()) << stream;
      (resized->plan == program->plan ? kept : made_anew) += 1;
      program = *resized;
    }
  }
  EXPECT_GT(kept, 20);
  EXPECT_GE(made_anew, 0);
}

}  // namespace
}  // namespace parallax
