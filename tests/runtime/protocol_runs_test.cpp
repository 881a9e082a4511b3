// Runs of a case on several threads at once: what they hand back is compared with the first run.
#include "backends/runtime/protocol_runs.h"

#include <gtest/gtest.h>

#include "backends/examine.h"
#include "backends/runtime/compiled_target.h"
#include "compiler/compile.h"
#include "fuzz/generate/generate.h"
#include "tests/support/graph_text.h"
#include "tests/support/portable_ops.h"

namespace parallax::runtime {
namespace {

Case small_case() {
  return testing::case_of(R"({"inputs": {"x": {"type": "f32[2]"}},
                              "nodes": [{"out": "a", "op": "aten.neg.default", "args": ["%x"]}],
                              "outputs": ["%a"]})",
                          R"({"x": [1, 2]})");
}

TEST(RunOnThreads, PutsTheRunThatDiffersInTheSecondInstancesPlace) {
  const Case test = small_case();
  const Loaded executable = load(compile(test.graph, {}).value()).value();
  Outcome outcome;
  run_protocol({executable}, {executable}, FreshMemory(), test, nullptr, outcome);
  ASSERT_TRUE(outcome.a && outcome.a_again);
  const std::vector<Tensor> right = outcome.a->outputs;
  outcome.a_again->outputs.clear();
  run_on_threads(executable, {}, test, 4, outcome);
  EXPECT_TRUE(outcome.a_again->outputs.empty()) << "no run differs from the first";
  outcome.a->outputs.front().set_double(0, 7);
  run_on_threads(executable, {}, test, 4, outcome);
  EXPECT_EQ(outcome.a_again->outputs, right);
}

TEST(RunOnThreads, AgreesOnGeneratedCases) {
  CompiledTargetOptions options;
  options.threads = 4;
  const auto target = make_compiled_target("portable", options).value();
  constexpr uint64_t seed = 20;
  for (uint64_t k = 0; k < 100; ++k) {
    Choices choices(seed, k);
    const Case test = generate(choices, testing::portable_options());
    EXPECT_FALSE(is_finding(examine(*target, test).judgement.verdict)) << "seed " << seed << ", case " << k;
  }
}

}  // namespace
}  // namespace parallax::runtime
