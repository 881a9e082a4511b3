#include "backends/portable/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/portable/sanitizer.h"

namespace parallax::portable {
namespace {

constexpr int64_t block_alignment = 16;  // bytes between two storages of one block
constexpr std::size_t scratch_bytes = 1 << 16;

// Whether the step computes anything: a result in memory of its own, or a write.
bool runs(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op->is_view()) return false;
  return node.op->writes() || std::ranges::any_of(node.results, [&](ValueId result) {
           return makers[graph.meta(result).storage.index] == id;
         });
}

// Storages that keep what they hold from run to run.
std::vector<bool> persistent_storages(const Graph& graph) {
  std::vector<bool> persistent(graph.storages.size(), false);
  for (std::size_t s = 0; s < persistent.size(); ++s) persistent[s] = graph.storages[s].data.has_value();
  for (const Source& source : graph.sources) {
    if (source.kind != SourceKind::Input && !source.window) persistent[graph.meta(source.value).storage.index] = true;
  }
  return persistent;
}

void lay_out(Executable& executable) {
  const Graph& graph = executable.program.graph;
  const std::vector<bool> persistent = persistent_storages(graph);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const StorageId storage(s);
    const Placement& placement = executable.program.plan.placement(storage);
    if (placement.place == Place::Arena) {
      executable.places.push_back({MemoryPlace::Block::Arena, placement.slot.offset});
      continue;
    }
    int64_t& used = persistent[s] ? executable.persistent_bytes : executable.run_bytes;
    executable.places.push_back({persistent[s] ? MemoryPlace::Block::Persistent : MemoryPlace::Block::Run, used});
    const int64_t bytes = storage_bytes(graph, storage);
    used += (bytes + block_alignment - 1) / block_alignment * block_alignment;
  }
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
        return std::unexpected(
            Error{ErrorKind::Unsupported, "", "", fmt::format("no portable kernel for {}", graph.nodes[n].op->name)});
      }
    }
    executable->kernels.push_back(kernel);
  }
  executable->feed = feed_slots(graph);
  lay_out(*executable);
  const std::vector<ValueId> newest = newest_values(graph);
  for (const Source& source : graph.sources) {
    if (source.kind == SourceKind::Input) executable->inputs.push_back(newest[source.value.index]);
    if (source.kind == SourceKind::Buffer) executable->buffers.push_back(newest[source.value.index]);
  }
  return executable;
}

Instance::Instance(std::shared_ptr<const Executable> executable, std::byte poison)
    : executable_(std::move(executable)), poison_(poison), scratch_(scratch_bytes) {
  const Graph& graph = executable_->program.graph;
  blocks_[static_cast<std::size_t>(MemoryPlace::Block::Persistent)] = allocate(executable_->persistent_bytes);
  blocks_[static_cast<std::size_t>(MemoryPlace::Block::Arena)] = allocate(executable_->program.plan.arena_size);
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    if (executable_->places[s].block != MemoryPlace::Block::Persistent) continue;
    const StorageId storage(s);
    std::memset(address(storage), 0, static_cast<std::size_t>(storage_bytes(graph, storage)));
    if (graph.storages[s].data) std::ranges::copy(graph.storages[s].data->bytes, address(storage));
  }
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    if (source.kind != SourceKind::Input && !source.window) scatter(source.data, meta.layout, address(meta.storage));
  }
}

std::byte* Instance::address(StorageId storage) const {
  const MemoryPlace& place = executable_->places[storage.index];
  return blocks_[static_cast<std::size_t>(place.block)].get() + place.offset;
}

TensorInPlace Instance::in_place(ValueId value) const {
  const TensorMeta& meta = executable_->program.graph.meta(value);
  const auto block = static_cast<std::size_t>(executable_->places[meta.storage.index].block);
  return {blocks_[block], address(meta.storage), meta.dtype, meta.layout};
}

void Instance::make_memory(std::span<const Tensor> feed) {
  const Graph& graph = executable_->program.graph;
  auto& run_block = blocks_[static_cast<std::size_t>(MemoryPlace::Block::Run)];
  run_block = allocate(executable_->run_bytes);
  const int poison = std::to_integer<int>(poison_);
  std::memset(run_block.get(), poison, static_cast<std::size_t>(executable_->run_bytes));
  std::memset(blocks_[static_cast<std::size_t>(MemoryPlace::Block::Arena)].get(), poison,
              static_cast<std::size_t>(executable_->program.plan.arena_size));
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
    sanitizer->begin(blocks_[static_cast<std::size_t>(MemoryPlace::Block::Arena)].get());
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
