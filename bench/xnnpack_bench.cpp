// What a delegated partition costs to create and to run, against the portable kernels where they can run the same.
#include <benchmark/benchmark.h>

#include "backends/runtime/builds.h"
#include "backends/xnnpack/backends.h"
#include "core/philox.h"
#include "graph/builder.h"

namespace parallax {
namespace {

using namespace runtime;

Tensor random_tensor(const Dims& sizes, uint64_t seed) {
  Tensor tensor(DType::F32, sizes);
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.set_double(i, philox_uniform(seed, static_cast<uint64_t>(i), -0.5, 0.5));
  }
  return tensor;
}

ValueId source(GraphBuilder& builder, SourceKind kind, const Dims& sizes, uint64_t seed) {
  const Tensor data = kind == SourceKind::Constant ? random_tensor(sizes, seed) : Tensor();
  return builder.add_source(kind, "s" + std::to_string(seed), DType::F32, contiguous_layout(sizes), data).value();
}

// Three 3x3 convolutions with biases and relus over a 32x32 picture.
Graph convolutions() {
  GraphBuilder builder;
  ValueId x = source(builder, SourceKind::Input, {1, 3, 32, 32}, 0);
  int64_t channels = 3;
  uint64_t seed = 0;
  for (int64_t out : {16, 32, 32}) {
    const ValueId weight = source(builder, SourceKind::Constant, {out, channels, 3, 3}, ++seed);
    const ValueId bias = source(builder, SourceKind::Constant, {out}, ++seed);
    x = builder.call("aten.conv2d.default", {x, weight, bias, IntList{1, 1}, IntList{1, 1}}).value();
    x = builder.call("aten.relu.default", {x}).value();
    channels = out;
  }
  builder.add_output(x);
  return builder.take();
}

// Three linear layers of 64 with relus, over a batch of 16.
Graph linear_layers() {
  GraphBuilder builder;
  ValueId x = source(builder, SourceKind::Input, {16, 64}, 0);
  for (uint64_t layer = 1; layer <= 3; ++layer) {
    x = builder.call("aten.linear.default", {x, source(builder, SourceKind::Constant, {64, 64}, layer)}).value();
    x = builder.call("aten.relu.default", {x}).value();
  }
  builder.add_output(x);
  return builder.take();
}

Result<Program> compiled(const Graph& graph, const DelegateSet* delegates) {
  CompileOptions options = compile_options(plain_delegating_build, delegates);
  options.evaluate = evaluate;
  return compile(graph, options);
}

void create(benchmark::State& state, Graph (*network)(), const DelegateSet* delegates) {
  const Result<Program> program = compiled(network(), delegates);
  for (auto _ : state) {
    Result<Loaded> loaded = load(*program, delegate_makers(plain_delegating_build, delegates));
    if (!loaded) return state.SkipWithError(loaded.error().text().c_str());
  }
}

void run(benchmark::State& state, Graph (*network)(), const DelegateSet* delegates) {
  const Graph graph = network();
  const Result<Loaded> loaded = load(*compiled(graph, delegates), delegate_makers(plain_delegating_build, delegates));
  if (!loaded) return state.SkipWithError(loaded.error().text().c_str());
  Instance instance(*loaded, std::byte{0xCB});
  const std::vector<Tensor> feed = {random_tensor(feed_slots(graph).front().layout.sizes, 99)};
  for (auto _ : state) benchmark::DoNotOptimize(instance.run(feed));
}

BENCHMARK_CAPTURE(create, convolutions_xnnpack, convolutions, &xnnpack::delegates());
BENCHMARK_CAPTURE(run, convolutions_xnnpack, convolutions, &xnnpack::delegates());
BENCHMARK_CAPTURE(run, convolutions_portable, convolutions, nullptr);
BENCHMARK_CAPTURE(create, linear_xnnpack, linear_layers, &xnnpack::delegates());
BENCHMARK_CAPTURE(run, linear_xnnpack, linear_layers, &xnnpack::delegates());
BENCHMARK_CAPTURE(run, linear_portable, linear_layers, nullptr);

}  // namespace
}  // namespace parallax
