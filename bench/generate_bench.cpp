// Valid cases a second on one core, by size, and the share of them that a case file's reader takes as they are.
#include <benchmark/benchmark.h>

#include "fuzz/generate/alias_relation.h"
#include "fuzz/generate/generate.h"
#include "graph/case_json.h"

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
  constexpr uint64_t looked_at = 1000;
  int valid = 0;
  for (stream = 0; stream < looked_at; ++stream) {
    Choices choices(1, stream);
    const std::string json = to_json(generate(choices, {.min_nodes = nodes, .max_nodes = nodes}));
    const Result<Case> read = parse_case(json);
    valid += read && to_json(*read) == json;
  }
  state.counters["valid"] = static_cast<double>(valid) / looked_at;
}
BENCHMARK(generate_cases)->Arg(5)->Arg(10)->Arg(20)->Arg(50)->Arg(200);

void classify_cases(benchmark::State& state) {
  Choices choices(1, 7);
  const Case test = generate(choices, {.min_nodes = 10, .max_nodes = 10});
  for (auto _ : state) benchmark::DoNotOptimize(alias_relations(test.graph));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(classify_cases);

}  // namespace
}  // namespace parallax
