// Graphs a second on the Vulkan device once it is warm, how many dispatches meet a pipeline that is there, and what a
// shader costs that is not.
#include <benchmark/benchmark.h>

#include <chrono>

#include "backends/runtime/builds.h"
#include "backends/vulkan/device_options.h"
#include "backends/vulkan/vulkan_backend.h"
#include "fuzz/generate/generate.h"
#include "graph/runs.h"

namespace parallax {
namespace {

using namespace runtime;

constexpr uint64_t graphs = 500;
constexpr int nodes_a_graph = 10;

// The graphs that a campaign would draw of the ops that the device has kernels for, compiled: loading and running them
// is the device's.
std::vector<std::pair<Program, std::vector<Tensor>>> drawn_programs(const vulkan::VulkanDevice& device) {
  const DelegateSet& delegates = vulkan::delegates(device.context());
  CompileOptions options = compile_options(full_build, &delegates);
  options.alignment = static_cast<int64_t>(device.context().limits().offset_alignment);
  options.evaluate = evaluate;
  std::vector<std::pair<Program, std::vector<Tensor>>> programs;
  for (uint64_t stream = 0; stream < graphs; ++stream) {
    Choices choices(1, stream);
    GenerateOptions drawn;
    drawn.profile = GenerateProfile::All;
    drawn.min_nodes = drawn.max_nodes = nodes_a_graph;
    Case test = generate(choices, drawn);
    if (has_several_runs(test)) continue;
    if (Result<Program> program = compile(test.graph, options)) programs.emplace_back(*std::move(program), test.feed);
  }
  return programs;
}

Result<void> load_and_run(const std::shared_ptr<vulkan::VulkanDevice>& device, const Program& program,
                          std::span<const Tensor> feed) {
  TRY(Loaded loaded,
      load(program, delegate_makers(full_build, &vulkan::delegates(device->context())), {device, 0, {}}));
  Instance instance(std::move(loaded), std::byte{0xCB});
  (void)instance.run(feed);  // what the data makes an op raise is a result as good as any
  return {};
}

// Of a program each: loaded, recorded and run once, as a campaign does.
void graphs_a_second(benchmark::State& state) {
  const auto device = vulkan::VulkanDevice::open({});
  if (!device) return state.SkipWithError(device.error().text().c_str());
  const auto programs = drawn_programs(**device);
  for (const auto& [program, feed] : programs) (void)load_and_run(*device, program, feed);
  const vulkan::PipelineStatistics before = (*device)->statistics().pipelines;
  std::size_t next = 0;
  for (auto _ : state) {
    const auto& [program, feed] = programs[next++ % programs.size()];
    (void)load_and_run(*device, program, feed);
  }
  const vulkan::PipelineStatistics after = (*device)->statistics().pipelines;
  state.counters["graphs"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["dispatches a graph"] =
      static_cast<double>(after.asked - before.asked) / static_cast<double>(state.iterations());
}
BENCHMARK(graphs_a_second)->Unit(benchmark::kMillisecond);

// A process that begins with no pipeline: the share of dispatches over the first 500 graphs that one was there for.
void cached_pipelines(benchmark::State& state) {
  for (auto _ : state) {
    const auto device = vulkan::VulkanDevice::open({});
    if (!device) return state.SkipWithError(device.error().text().c_str());
    const auto programs = drawn_programs(**device);
    const vulkan::PipelineStatistics before = (*device)->statistics().pipelines;
    for (const auto& [program, feed] : programs) (void)load_and_run(*device, program, feed);
    const vulkan::PipelineStatistics after = (*device)->statistics().pipelines;
    const auto asked = static_cast<double>(after.asked - before.asked);
    const auto made = static_cast<double>(after.made - before.made);
    state.counters["cached %"] = 100 * (1 - made / asked);
    state.counters["made"] = made;
  }
}
BENCHMARK(cached_pipelines)->Iterations(1)->Unit(benchmark::kMillisecond);

// The shader of a reduction as neither the disk nor the driver knows it: glslang, the pipeline, and what its first
// dispatch takes, which is when llvmpipe compiles.
void new_shader(benchmark::State& state) {
  const auto opened = vulkan::Context::open({});
  if (!opened) return state.SkipWithError(opened.error().text().c_str());
  const auto pipelines = vulkan::Pipelines::make(*opened, "");
  if (!pipelines) return state.SkipWithError(pipelines.error().text().c_str());
  const auto heap = std::make_shared<vulkan::Heap>(*opened);
  const auto commands = vulkan::Commands::make(*opened, heap, *pipelines);
  if (!commands) return state.SkipWithError(commands.error().text().c_str());
  const auto memory = heap->allocate(64).value();
  const vulkan::BufferRange range = *heap->find(memory.get(), 64);
  int number = 0;
  double first_run = 0;
  for (auto _ : state) {
    std::string text(vulkan::shader_text("reduction"));
    constexpr std::string_view constant = "Mean = ";
    text.insert(text.find(constant) + constant.size(), std::to_string(++number));
    const vulkan::ShaderSource source = {"bench" + std::to_string(number), [&] { return text; }};
    const std::array dispatches = {vulkan::Dispatch{&source, {range}, {range}, 0, 1, -1}};
    constexpr std::array<uint32_t, 32> metadata{};  // a sum of one element
    if (auto done = (*commands)->record(dispatches, metadata, {}, {}); !done) {
      return state.SkipWithError(done.error().text().c_str());
    }
    const auto start = std::chrono::steady_clock::now();
    (void)(*commands)->submit();
    first_run += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  const auto shaders = static_cast<double>(number);
  state.counters["compile and create, ms"] = (*pipelines)->statistics().milliseconds / shaders;
  state.counters["first run, ms"] = first_run / shaders;
}
BENCHMARK(new_shader)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace parallax
