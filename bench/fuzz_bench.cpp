// Whole differential cases a second on one core: generate, oracle, compile, three runs, judge.
#include <benchmark/benchmark.h>

#include "backends/examine.h"
#include "backends/open_target.h"
#include "fuzz/generate/generate.h"
#include "ops/profiles.h"
#include "oracle/interpreter.h"

namespace parallax {
namespace {

constexpr uint64_t seed = 1;

Case ten_nodes(uint64_t k) {
  Choices choices(seed, k);
  static const Vocabulary words = Vocabulary::taken_by({open_target("portable", {})->get()});
  return generate(choices, {GenerateProfile::Alias, 10, 10, &words});
}

void generate_and_judge(benchmark::State& state) {
  const auto target = open_target("portable", {});
  uint64_t k = 0;
  int64_t matches = 0;
  for (auto _ : state) {
    const Case test = ten_nodes(k++);
    matches += examine(**target, test).judgement.verdict == Verdict::Match;
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["matched"] = static_cast<double>(matches) / static_cast<double>(state.iterations());
}
BENCHMARK(generate_and_judge);

void oracle_alone(benchmark::State& state) {
  std::vector<Case> cases;
  for (uint64_t k = 0; k < 256; ++k) cases.push_back(ten_nodes(k));
  std::size_t next = 0;
  for (auto _ : state) {
    const Case& test = cases[next++ % cases.size()];
    benchmark::DoNotOptimize(Interpreter(test.graph, *find_profile("portable")).run(test.feed));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(oracle_alone);

void portable_alone(benchmark::State& state) {
  const auto target = open_target("portable", {});
  std::vector<Case> cases;
  for (uint64_t k = 0; k < 256; ++k) cases.push_back(ten_nodes(k));
  std::size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize((*target)->run(cases[next++ % cases.size()], nullptr));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(portable_alone);

}  // namespace
}  // namespace parallax
