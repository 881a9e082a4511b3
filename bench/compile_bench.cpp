// Graphs a second through compile, plan and run on one core, and how the cost of compiling grows with a graph's nodes.
#include <benchmark/benchmark.h>

#include "backends/open_target.h"
#include "backends/runtime/builds.h"
#include "fuzz/generate/generate.h"
#include "graph/builder.h"

namespace parallax {
namespace {

using namespace runtime;

Case generated(uint64_t k, int nodes) {
  Choices choices(1, k);
  static const Vocabulary words = Vocabulary::taken_by({open_target("portable", {})->get()});
  return generate(choices, {GenerateProfile::Alias, nodes, nodes, &words});
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
Case long_chain(int64_t nodes) {
  GraphBuilder builder;
  ValueId value = builder.add_source(SourceKind::Input, "x", DType::F32, contiguous_layout({4}), {}).value();
  for (int64_t n = 0; n < nodes; ++n) {
    const char* op = n % 4 == 3 ? "aten.clone.default" : n % 2 ? "aten.neg.default" : "aten.relu.default";
    value = builder.call(op, {value}, "n" + std::to_string(n)).value();
  }
  builder.add_output(value);
  Case test;
  test.graph = builder.take();
  test.feed = {Tensor(DType::F32, {4})};
  return test;
}

// Layers that each have a weight and a bias of their own, a transposition whose copy may go, and a write to a buffer.
Case deep_network(int64_t nodes) {
  GraphBuilder builder;
  const Layout square = contiguous_layout({4, 4});
  ValueId value = builder.add_source(SourceKind::Input, "x", DType::F32, square, {}).value();
  const ValueId state =
      builder.add_source(SourceKind::Buffer, "state", DType::F32, square, Tensor(DType::F32, {4, 4})).value();
  for (int64_t n = 0; n < nodes; n += 5) {
    const std::string layer = std::to_string(n);
    const ValueId weight =
        builder.add_source(SourceKind::Constant, "weight" + layer, DType::F32, square, Tensor(DType::F32, {4, 4}))
            .value();
    value = builder.call("aten.add.Tensor", {value, weight}).value();
    value = builder.call("aten.permute_copy.default", {value, IntList{1, 0}}).value();
    const ValueId part = builder.call("aten.slice.Tensor", {state, Scalar(int64_t{0}), Scalar(n % 4)}).value();
    builder.call("aten.relu_.default", {part}).value();
    value = builder.call("aten.mul.Tensor", {value, state}).value();
  }
  builder.add_output(value);
  Case test;
  test.graph = builder.take();
  test.feed = {Tensor(DType::F32, {4, 4})};
  return test;
}

// What the fuzzer draws, every op of ours in it; drawing itself costs more than the square of the nodes.
Case drawn(int64_t nodes) { return generated(0, static_cast<int>(nodes)); }

// How the cost of compiling, loading and running one graph grows with its nodes.
void compile_load_run(benchmark::State& state, Case (*make)(int64_t nodes)) {
  const Case test = make(state.range(0));
  CompileOptions options = compile_options(full_build);
  options.evaluate = evaluate;
  for (auto _ : state) {
    Result<Program> program = compile(test.graph, options);
    if (!program) return state.SkipWithError(program.error().text().c_str());
    const Result<Loaded> loaded = load(*std::move(program));
    if (!loaded) return state.SkipWithError(loaded.error().text().c_str());
    benchmark::DoNotOptimize(Instance(*loaded, std::byte{0xCB}).run(test.feed));
  }
  state.SetComplexityN(state.range(0));
}
void growth(benchmark::internal::Benchmark* bench, int64_t most) {
  bench->RangeMultiplier(10)->Range(10, most)->Unit(benchmark::kMillisecond)->Complexity();
}
BENCHMARK_CAPTURE(compile_load_run, chain, long_chain)->Apply([](auto* bench) { growth(bench, 10000); });
BENCHMARK_CAPTURE(compile_load_run, network, deep_network)->Apply([](auto* bench) { growth(bench, 10000); });
BENCHMARK_CAPTURE(compile_load_run, drawn, drawn)->Apply([](auto* bench) { growth(bench, 1000); });

}  // namespace
}  // namespace parallax
