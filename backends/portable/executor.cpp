#include "backends/portable/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/portable/sanitizer.h"

namespace parallax::portable {
namespace {

constexpr std::size_t scratch_bytes = 1 << 16;

// Whether the step computes anything: a result in memory of its own, or a write.
bool runs(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op->is_view()) return false;
  return node.op->writes() || std::ranges::any_of(node.results, [&](ValueId result) {
           return makers[graph.meta(result).storage.index] == id;
         });
}

Error no_kernel(const Node& node) {
  return {ErrorKind::Unsupported, "", "", fmt::format("no portable kernel for {}", node.op->name)};
}

std::vector<ValueId> newest_values(const Graph& graph) {
  std::vector<ValueId> newest(graph.metas.size());
  for (std::size_t v = 0; v < newest.size(); ++v) newest[graph.objects[v].index] = ValueId(v);
  return newest;
}

std::shared_ptr<std::byte[]> allocate(int64_t bytes) {
  return std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
}

}  // namespace

Result<std::shared_ptr<const Executable>> load(Program program) {
  auto executable = std::make_shared<Executable>();
  executable->program = std::move(program);
  const Graph& graph = executable->program.graph;
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Kernel kernel = nullptr;
    if (runs(graph, makers, NodeId(n))) {
      kernel = find_kernel(graph.nodes[n].op->name);
      if (!kernel) {
        return std::unexpected(no_kernel(graph.nodes[n]));
      }
    }
    executable->kernels.push_back(kernel);
  }
  executable->feed = feed_slots(graph);
  const std::vector<ValueId> newest = newest_values(graph);
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Input) executable->inputs.push_back(newest[source.value.index]);
    if (source.kind == SourceKind::Buffer) executable->buffers.push_back(newest[source.value.index]);
  }
  return executable;
}

Result<void> evaluate(const Graph& graph, NodeId id, std::span<std::byte* const> storages) {
  const Node& node = graph.node(id);
  const Kernel kernel = find_kernel(node.op->name);
  if (!kernel) return std::unexpected(no_kernel(node));
  std::vector<TensorRef> tensors;
  for (const TensorMeta& meta : graph.metas) {
    tensors.push_back({storages[meta.storage.index], meta.dtype, &meta.layout});
  }
  std::pmr::monotonic_buffer_resource scratch;
  return kernel(KernelCall(Call(*node.op, node.arguments, graph.metas), tensors, node.results, scratch));
}

Instance::Instance(std::shared_ptr<const Executable> executable, std::byte poison)
    : executable_(std::move(executable)), poison_(poison), scratch_(scratch_bytes) {
  const Graph& graph = executable_->program.graph;
  const Plan& plan = executable_->program.plan;
  for (Arena arena : {Arena::Backend, Arena::Constants, Arena::State}) block(arena) = allocate(plan.arena(arena).size);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const StorageId storage(s);
    const Arena arena = plan.placement(storage).arena;
    if (arena != Arena::Constants && arena != Arena::State) continue;
    std::memset(address(storage), 0, static_cast<std::size_t>(storage_bytes(graph, storage)));
    if (graph.storages[s].data) std::ranges::copy(graph.storages[s].data->bytes, address(storage));
  }
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    if (source.kind != SourceKind::Input && !source.window) scatter(source.data, meta.layout, address(meta.storage));
  }
}

std::byte* Instance::address(StorageId storage) const {
  const Placement& placement = executable_->program.plan.placement(storage);
  return block(placement.arena).get() + placement.slot.offset;
}

TensorInPlace Instance::in_place(ValueId value) const {
  const TensorMeta& meta = executable_->program.graph.meta(value);
  return {block(executable_->program.plan.placement(meta.storage).arena), address(meta.storage), meta.dtype,
          meta.layout};
}

void Instance::make_memory(std::span<const Tensor> feed) {
  const Graph& graph = executable_->program.graph;
  const Plan& plan = executable_->program.plan;
  for (Arena arena : {Arena::Inputs, Arena::Returned}) block(arena) = allocate(plan.arena(arena).size);
  for (Arena arena : {Arena::Inputs, Arena::Returned, Arena::Backend}) {
    std::memset(block(arena).get(), std::to_integer<int>(poison_), static_cast<std::size_t>(plan.arena(arena).size));
  }
  for (std::size_t i = 0; i < executable_->feed.size(); ++i) {
    const FeedSlot& slot = executable_->feed[i];
    // The gaps between an input's elements belong to the caller too.
    std::memset(address(slot.storage), 0, static_cast<std::size_t>(storage_bytes(graph, slot.storage)));
    scatter(feed[i], slot.layout, address(slot.storage));
  }
  tensors_.clear();
  for (const TensorMeta& meta : graph.metas) tensors_.push_back({address(meta.storage), meta.dtype, &meta.layout});
}

Result<void> Instance::run_steps(Sanitizer* sanitizer) {
  const Graph& graph = executable_->program.graph;
  std::pmr::monotonic_buffer_resource scratch(scratch_.data(), scratch_.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel kernel = executable_->kernels[n];
    if (!kernel) continue;
    const Node& node = graph.nodes[n];
    if (sanitizer) sanitizer->before_step(NodeId(n), tensors_);
    const Call call(*node.op, node.arguments, graph.metas);
    if (auto done = kernel(KernelCall(call, tensors_, node.results, scratch)); !done) {
      return at(fmt::format("{} ({})", node.name, node.op->name), std::move(done).error());
    }
    scratch.release();
    if (sanitizer) sanitizer->after_step(NodeId(n), tensors_);
  }
  return {};
}

Result<RunResult> Instance::run(std::span<const Tensor> feed, Sanitizer* sanitizer) {
  PARALLAX_CHECK(feed.size() == executable_->feed.size());
  make_memory(feed);
  if (sanitizer) {
    sanitizer->begin(block(Arena::Backend).get());
  }
  TRY_VOID(run_steps(sanitizer));
  if (sanitizer) sanitizer->at_return(tensors_);
  RunResult result;
  for (ValueId value : executable_->program.graph.outputs) result.outputs.push_back(in_place(value));
  for (ValueId value : executable_->inputs) result.inputs.push_back(in_place(value));
  for (ValueId value : executable_->buffers) result.buffers.push_back(in_place(value));
  return result;
}

}  // namespace parallax::portable
