#include <benchmark/benchmark.h>

#include "fuzz/alias_relation.h"
#include "fuzz/generate.h"

namespace parallax {
namespace {

void generate_cases(benchmark::State& state) {
  const auto nodes = static_cast<int>(state.range(0));
  uint64_t stream = 0;
  for (auto _ : state) {
    Choices choices(1, stream++);
    benchmark::DoNotOptimize(generate(choices, {.min_nodes = nodes, .max_nodes = nodes}));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(generate_cases)->Arg(2)->Arg(10)->Arg(40);

void classify_cases(benchmark::State& state) {
  Choices choices(1, 7);
  const Case test = generate(choices, {.min_nodes = 10, .max_nodes = 10});
  for (auto _ : state) benchmark::DoNotOptimize(alias_relations(test.graph));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(classify_cases);

}  // namespace
}  // namespace parallax
