// Score: mutants change nothing while they are off, are drawn by the seed, and those that must be noticed are.
#include "fuzz/score/score.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/runtime/builds.h"
#include "compiler/compile.h"
#include "compiler/rewriter.h"
#include "planner/mutants_list.h"

namespace parallax {
namespace {

Case generated(uint64_t stream) {
  Choices choices(11, stream);
  return generate(choices, {});
}

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const Mutant& mutant : all_mutants) ids.emplace_back(mutant.id);
  return ids;
}

// What is compiled after a mutant was on is what is compiled before.
TEST(Mutants, LeaveNothingBehindInTheCompiler) {
  const std::vector<std::string> named = {"M01"};
  CompileOptions mutated = runtime::compile_options(runtime::plain_build);
  mutated.faults = FaultSet::of(named).value();
  const CompileOptions sound = runtime::compile_options(runtime::plain_build);
  int compiled = 0;
  int changed = 0;
  for (uint64_t stream = 0; stream < 100; ++stream) {
    SCOPED_TRACE(::testing::Message() << "seed 11, stream " << stream);
    const Case test = generated(stream);
    const Result<Program> before = compile(test.graph, sound);
    const Result<Program> between = compile(test.graph, mutated);
    const Result<Program> after = compile(test.graph, sound);
    ASSERT_EQ(before.has_value(), after.has_value());
    if (!before || !between) continue;
    ++compiled;
    changed += before->plan != between->plan;
    EXPECT_TRUE(same_graph(before->graph, after->graph));
    EXPECT_EQ(before->plan, after->plan);
  }
  EXPECT_GT(compiled, 50);
  EXPECT_GT(changed, 0);
}

TEST(Mutants, AreDrawnBySeed) {
  EXPECT_EQ(draw_mutants(all_mutants.size(), 1), all_ids());
  EXPECT_EQ(draw_mutants(1000, 1), all_ids());
  const std::vector<std::string> ten = draw_mutants(10, 1);
  EXPECT_EQ(ten.size(), 10U);
  EXPECT_EQ(std::set<std::string>(ten.begin(), ten.end()).size(), 10U);
  EXPECT_EQ(ten, draw_mutants(10, 1));
  EXPECT_NE(ten, draw_mutants(10, 2));
}

// Mutants that the values show, from every part of the compiler.
TEST(Mutants, ThatMustBeNoticedAre) {
  ScoreOptions options;
  options.graphs = 300;
  options.reduce_seconds = 0;
  for (const std::string_view name :
       {"last_use_one_early", "conflict_at_one_step", "operand_lives_on", "returned_kept_inside", "stale_value"}) {
    const Mutant& mutant = *std::ranges::find(all_mutants, name, &Mutant::name);
    const Result<FaultScore> score = score_fault(std::string(mutant.id), options);
    ASSERT_TRUE(score.has_value()) << name;
    EXPECT_TRUE(score->values.found) << name;
  }
}

}  // namespace
}  // namespace parallax
