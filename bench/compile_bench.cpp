// Graphs a second through compile, plan and run on one core, and how the cost of compiling grows with a graph's nodes.
#include <benchmark/benchmark.h>

#include "backends/open_target.h"
#include "backends/portable/builds.h"
#include "fuzz/generate.h"
#include "graph/builder.h"

namespace parallax {
namespace {

using namespace portable;

Case generated(uint64_t k, int nodes) {
  Choices choices(1, k);
  static const DrawnOps ops = DrawnOps::taken_by({open_target("portable", {})->get()});
  return generate(choices, {GenerateProfile::Alias, nodes, nodes, &ops});
}

void compile_plan_run(benchmark::State& state, const Build& build) {
  std::vector<Case> cases;
  for (uint64_t k = 0; k < 256; ++k) cases.push_back(generated(k, 10));
  std::size_t next = 0;
  for (auto _ : state) {
    const Case& test = cases[next++ % cases.size()];
    Result<Program> program = compile(test.graph, compile_options(build));
    if (!program) continue;  // a write to overlapping memory, which the compiler refuses
    const Result<Loaded> loaded = load(*std::move(program));
    if (loaded) benchmark::DoNotOptimize(Instance(*loaded, std::byte{0xCB}).run(test.feed));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(compile_plan_run, plain, plain_build);
BENCHMARK_CAPTURE(compile_plan_run, full, full_build);

// Element-wise chains with a copy in every fourth place.
Graph long_chain(int64_t nodes) {
  GraphBuilder builder;
  ValueId value = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({4}), {}).value();
  for (int64_t n = 0; n < nodes; ++n) {
    const char* op = n % 4 == 3 ? "aten.clone.default" : n % 2 ? "aten.neg.default" : "aten.relu.default";
    value = builder.call(op, {value}, "n" + std::to_string(n)).value();
  }
  builder.add_output(value);
  return builder.take();
}

void compile_chain(benchmark::State& state) {
  const Graph graph = long_chain(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(compile(graph, compile_options(full_build)));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(compile_chain)->RangeMultiplier(10)->Range(10, 10000)->Unit(benchmark::kMillisecond)->Complexity();

}  // namespace
}  // namespace parallax
