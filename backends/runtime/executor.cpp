#include "backends/runtime/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "backends/portable/integer_kernels.h"
#include "backends/runtime/computing.h"
#include "backends/runtime/control_step.h"
#include "backends/runtime/redzones.h"
#include "backends/runtime/sanitizer.h"

namespace parallax::runtime {
namespace {

constexpr std::size_t scratch_bytes = 1 << 16;
constexpr int64_t widest_element = 8;  // in bytes

Error no_kernel(const Node& node) {
  return {ErrorKind::Unsupported, "", "", fmt::format("no portable kernel for {}", node.op->name)};
}

std::vector<ValueId> newest_values(const Graph& graph) {
  std::vector<ValueId> newest(graph.metas.size());
  for (std::size_t v = 0; v < newest.size(); ++v) newest[graph.objects[v].index] = ValueId(v);
  return newest;
}

Result<void> run_soundly(const portable::KernelCall& call) { return portable::run_integers(call, IntegerRules()); }

// The kernel of an op, or null. A fused call goes by the program's rules where there is a program.
Kernel kernel_of(const Op& op) { return as_fused(op) ? run_soundly : portable::find_kernel(op.name); }

// What a boundary that takes another dtype leaves of a tensor.
void cross_as(DType dtype, const TensorRef& tensor) {
  portable::with_compute_type(tensor.dtype, [&]<class C>(std::type_identity<C>) {
    std::vector<C> elements(static_cast<std::size_t>(tensor.layout->numel()));
    portable::read_elements(tensor, *tensor.layout, elements.data());
    for (C& element : elements) element = portable::rounded_to(dtype, element);
    portable::write_elements(tensor, *tensor.layout, elements.data());
  });
}

// By value: the operand of its node in whose storage it lies.
std::vector<ValueId> memory_of_values(const Graph& graph, const std::vector<std::optional<NodeId>>& makers) {
  std::vector<ValueId> lies_in(graph.metas.size());
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId result : graph.nodes[n].results) {
      const StorageId storage = graph.meta(result).storage;
      if (makers[storage.index] == NodeId(n)) continue;
      for (const Argument& argument : graph.nodes[n].arguments) {
        for_each_value(argument, [&](ValueId value) {
          if (graph.meta(value).storage == storage) lies_in[result.index] = value;
        });
      }
    }
  }
  return lies_in;
}

// Of each storage that the partition makes and hands out, the value that it is made with. What a group keeps to itself
// has no memory.
std::vector<ValueId> values_to_write(const Program& program, const Partition& partition,
                                     const std::vector<std::optional<NodeId>>& makers) {
  const Graph& graph = program.graph;
  const auto group = std::ranges::find(program.groups, partition.nodes, &FusedGroup::nodes);
  const auto is_inner = [&](ValueId value) {
    return group != program.groups.end() && std::ranges::find(group->inner, value) != group->inner.end();
  };
  const auto is_handed_out = [&](StorageId storage) {
    return std::ranges::any_of(partition.outputs, [&](ValueId out) { return graph.meta(out).storage == storage; });
  };
  std::vector<ValueId> values;
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
    for (ValueId result : graph.nodes[n].results) {
      const StorageId storage = graph.meta(result).storage;
      if (makers[storage.index] == NodeId(n) && is_handed_out(storage) && !is_inner(result)) values.push_back(result);
    }
  }
  return values;
}

Result<std::vector<DelegatedPartition>> make_delegates(const Program& program,
                                                       const std::vector<std::optional<NodeId>>& makers,
                                                       std::span<const MakeDelegate> delegate_makers) {
  std::vector<DelegatedPartition> delegated(program.partitions.size());
  for (std::size_t p = 0; p < delegated.size(); ++p) {
    const Partition& partition = program.partitions[p];
    const MakeDelegate make = partition.backend < delegate_makers.size() ? delegate_makers[partition.backend] : nullptr;
    if (!make) continue;
    delegated[p].outputs = values_to_write(program, partition, makers);
    TRY(delegated[p].delegate, make(program.graph, partition, delegated[p].outputs));
  }
  return delegated;
}

// By node.
std::vector<bool> is_delegated(const Executable& executable) {
  std::vector<bool> is(executable.program.graph.nodes.size(), false);
  for (std::size_t p = 0; p < executable.delegated.size(); ++p) {
    const NodeRange& nodes = executable.program.partitions[p].nodes;
    const bool elsewhere = executable.delegated[p].delegate || executable.device.runs(executable.program.partitions[p]);
    if (elsewhere) std::fill_n(is.begin() + std::ptrdiff_t(nodes.first), nodes.size(), true);
  }
  return is;
}

}  // namespace

int delegated_nodes(const Executable& executable) {
  const Graph& graph = executable.program.graph;
  const std::vector<bool> delegated = is_delegated(executable);
  int count = 0;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    count += delegated[n] && executable.computes[n];
  }
  return count;
}

Result<std::shared_ptr<const Executable>> load(Program program, std::span<const MakeDelegate> delegate_makers,
                                               DeviceOfBackend device) {
  auto executable = std::make_shared<Executable>();
  executable->program = std::move(program);
  executable->device = std::move(device);
  const Graph& graph = executable->program.graph;
  const std::vector<std::optional<NodeId>> makers = storage_makers(graph);
  TRY(executable->delegated, make_delegates(executable->program, makers, delegate_makers));
  const std::vector<bool> delegated = is_delegated(*executable);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    Kernel kernel = nullptr;
    executable->computes.push_back(parallax::computes(graph, makers, NodeId(n)));
    const CompiledControlOp* control = as_compiled(*graph.nodes[n].op);
    std::vector<std::shared_ptr<const Executable>>& subgraphs = executable->subgraphs.emplace_back();
    for (std::size_t k = 0; control && k < control->programs.size(); ++k) {
      TRY(std::shared_ptr<const Executable> subgraph, load(control->programs[k]));
      subgraphs.push_back(std::move(subgraph));
    }
    if (!delegated[n] && executable->computes.back() && !control) {
      kernel = kernel_of(*graph.nodes[n].op);
      if (!kernel) {
        return std::unexpected(no_kernel(graph.nodes[n]));
      }
    }
    executable->kernels.push_back(kernel);
  }
  executable->lies_in = memory_of_values(graph, makers);
  executable->makers = makers;
  executable->inner.resize(graph.metas.size(), false);
  for (const FusedGroup& group : executable->program.groups) {
    for (ValueId value : group.inner) executable->inner[value.index] = true;
  }
  for (const Storage& storage : graph.storages) {
    executable->margin = std::max(executable->margin, storage.elements * widest_element);
  }
  executable->margin += delegate_slack;
  if (executable->device.device) {
    const Plan& plan = executable->program.plan;
    executable->redzones = redzones_of(plan, plan.arena(Arena::Backend).size + executable->margin);
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
  const Kernel kernel = kernel_of(*node.op);
  if (!kernel) return std::unexpected(no_kernel(node));
  // By value, and kept from call to call: a graph may have far more values than the node names.
  thread_local std::vector<TensorRef> tensors;
  tensors.resize(std::max(tensors.size(), graph.metas.size()));
  const auto place = [&](ValueId value) {
    const TensorMeta& meta = graph.meta(value);
    tensors[value.index] = {storages[meta.storage.index], meta.dtype, &meta.layout};
  };
  for (const Argument& argument : node.arguments) for_each_value(argument, place);
  std::ranges::for_each(node.results, place);
  std::pmr::monotonic_buffer_resource scratch;
  return kernel(portable::KernelCall(Call(*node.op, node.arguments, graph.metas), tensors, node.results, scratch));
}

Instance::Instance(std::shared_ptr<const Executable> executable, std::byte poison)
    : executable_(std::move(executable)),
      poison_(poison),
      loop_(executable_->program.graph, executable_->inner),
      scratch_(std::make_unique_for_overwrite<std::byte[]>(scratch_bytes)) {
  ready_ = prepare();
  if (ready_) ready_ = lay_out(Arena::State);
}

Instance::~Instance() = default;

void Instance::resize(std::shared_ptr<const Executable> resized) {
  if (executable_ == resized) return;  // its memory stays where it is, under what earlier runs handed out
  executable_ = std::move(resized);
  loop_ = FusedLoop(executable_->program.graph, executable_->inner);
  if (ready_) ready_ = prepare();
}

void Instance::share_state(const Instance& owner) {
  const Executable& own = *executable_;
  const Executable& other = *owner.executable_;
  PARALLAX_CHECK(own.buffers.size() == other.buffers.size());
  bound_.assign(own.program.graph.storages.size(), nullptr);
  for (std::size_t i = 0; i < own.buffers.size(); ++i) {
    bound_[own.program.graph.meta(own.buffers[i]).storage.index] =
        owner.address(other.program.graph.meta(other.buffers[i]).storage);
  }
}

Result<void> Instance::prepare() {
  const Program& program = executable_->program;
  on_device_.clear();
  on_device_.resize(program.partitions.size());
  for (std::size_t p = 0; p < on_device_.size(); ++p) {
    if (!executable_->device.runs(program.partitions[p])) continue;
    const DeviceOfBackend& device = executable_->device;
    TRY(on_device_[p], device.device->prepare(program, program.partitions[p], executable_->inner, device.task));
  }
  control_.clear();
  control_.resize(program.graph.nodes.size());
  for (std::size_t n = 0; n < control_.size(); ++n) {
    if (executable_->subgraphs[n].empty()) continue;
    control_[n] =
        std::make_unique<ControlStep>(*as_compiled(*program.graph.nodes[n].op), executable_->subgraphs[n], poison_);
  }
  TRY_VOID(allocate(Arena::Backend));
  return lay_out(Arena::Constants);
}

// Constants or state, as they are before the first run.
Result<void> Instance::lay_out(Arena arena) {
  const Graph& graph = executable_->program.graph;
  const Plan& plan = executable_->program.plan;
  TRY_VOID(allocate(arena));
  for (std::size_t s = 0; s < graph.storages.size(); ++s) {
    const StorageId storage(s);
    if (plan.placement(storage).arena != arena) continue;
    std::memset(address(storage), 0, static_cast<std::size_t>(storage_bytes(graph, storage)));
    if (graph.storages[s].data) std::ranges::copy(graph.storages[s].data->bytes, address(storage));
  }
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    const bool here = plan.placement(meta.storage).arena == arena;
    if (here && source.kind != SourceKind::Input && !source.window)
      scatter(source.data, meta.layout, address(meta.storage));
  }
  return {};
}

// What nobody else holds is taken again.
Result<void> Instance::allocate(Arena arena) {
  const int64_t bytes = executable_->program.plan.arena(arena).size + executable_->margin;
  if (block(arena).use_count() == 1 && block_bytes(arena) == bytes) return {};
  block(arena).reset();
  block_bytes(arena) = bytes;
  if (executable_->device.device) {
    TRY(block(arena), executable_->device.device->allocate(bytes));
  } else {
    block(arena) = std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  }
  return {};
}

std::byte* Instance::address(StorageId storage) const {
  if (!bound_.empty() && bound_[storage.index]) return bound_[storage.index];
  const Placement& placement = executable_->program.plan.placement(storage);
  return block(placement.arena).get() + placement.slot.offset;
}

TensorInPlace Instance::in_place(ValueId value, const std::byte* storage) const {
  const TensorMeta& meta = executable_->program.graph.meta(value);
  TensorInPlace found{nullptr, storage, meta.dtype, meta.layout};
  for (Arena arena : all_arenas) {
    const std::byte* first = block(arena).get();
    if (storage >= first && storage < first + block_bytes(arena)) found.memory = block(arena);
  }
  return found;
}

Result<void> Instance::make_memory(std::span<const Tensor> feed) {
  const Graph& graph = executable_->program.graph;
  for (Arena arena : {Arena::Inputs, Arena::Returned}) TRY_VOID(allocate(arena));
  for (Arena arena : {Arena::Inputs, Arena::Returned, Arena::Backend}) {
    std::memset(block(arena).get(), std::to_integer<int>(poison_), static_cast<std::size_t>(block_bytes(arena)));
  }
  for (std::size_t i = 0; i < executable_->feed.size(); ++i) {
    const FeedSlot& slot = executable_->feed[i];
    // The gaps between an input's elements belong to the caller too.
    std::memset(address(slot.storage), 0, static_cast<std::size_t>(storage_bytes(graph, slot.storage)));
    scatter(feed[i], slot.layout, address(slot.storage));
  }
  bind_nothing();
  for (const Source& source : graph.sources) {
    outside_[source.value.index].storage = address(graph.meta(source.value).storage);
  }
  return {};
}

// Everything lies in the poison behind the arena.
void Instance::bind_nothing() {
  const Graph& graph = executable_->program.graph;
  std::byte* nowhere = block(Arena::Backend).get() + executable_->program.plan.arena(Arena::Backend).size;
  outside_.clear();
  for (const TensorMeta& meta : graph.metas) outside_.push_back({nowhere, meta.dtype, &meta.layout});
  tensors_ = outside_;
}

Result<void> Instance::call(std::span<const TensorRef> operands, std::byte* memory,
                            std::span<std::byte* const> outputs) {
  TRY_VOID(ready_);
  const Program& program = executable_->program;
  const Graph& graph = program.graph;
  const SubgraphMemory places = memory_of(program);
  const auto lend = [&](Arena arena, int64_t begin, int64_t end) {
    block(arena) = std::shared_ptr<std::byte[]>(std::shared_ptr<void>(), memory + begin);
    block_bytes(arena) = end - begin;
    std::memset(memory + begin, std::to_integer<int>(poison_), static_cast<std::size_t>(end - begin));
  };
  lend(Arena::Returned, places.returned, places.backend);
  lend(Arena::Backend, places.backend, places.end);
  bound_.assign(graph.storages.size(), nullptr);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const StorageId storage = graph.meta(graph.sources[i].value).storage;
    bound_[storage.index] = operands[i].storage + operands[i].layout->offset * size_of(operands[i].dtype);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]) bound_[graph.meta(graph.outputs[i]).storage.index] = outputs[i];
  }
  bind_nothing();
  for (const Source& source : graph.sources) {
    outside_[source.value.index].storage = address(graph.meta(source.value).storage);
  }
  return run_steps(nullptr);
}

void Instance::place(NodeRange nodes, const FusedGroup* group) {
  const Graph& graph = executable_->program.graph;
  for (std::size_t n = nodes.first; n < nodes.end; ++n) {
    for (ValueId result : graph.nodes[n].results) {
      if (group && executable_->inner[result.index]) continue;
      const ValueId operand = executable_->lies_in[result.index];
      tensors_[result.index].storage =
          operand.valid() ? tensors_[operand.index].storage : address(graph.meta(result).storage);
    }
  }
}

Result<void> Instance::run_step(NodeRange nodes, const FusedGroup* group) {
  if (group) return loop_.run(*group, tensors_, executable_->kernels);
  const Graph& graph = executable_->program.graph;
  const Node& node = graph.nodes[nodes.first];
  if (control_[nodes.first]) return control_[nodes.first]->run(node, tensors_);
  const Kernel kernel = executable_->kernels[nodes.first];
  if (!kernel) return {};
  std::pmr::monotonic_buffer_resource scratch(scratch_.get(), scratch_bytes);
  const Call call(*node.op, node.arguments, graph.metas);
  const portable::KernelCall kernel_call(call, tensors_, node.results, scratch);
  return as_fused(*node.op) ? portable::run_integers(kernel_call, executable_->program.integers) : kernel(kernel_call);
}

template <class Run>
Result<void> Instance::watched(NodeRange nodes, const FusedGroup* group, Sanitizer* sanitizer, Run&& run) {
  const bool computes = group || executable_->computes[nodes.first];
  if (sanitizer && computes) sanitizer->before_step(nodes, tensors_);
  place(nodes, group);
  if (Result<void> done = run(); !done) {
    const Node& node = executable_->program.graph.nodes[nodes.first];
    return at(fmt::format("{} ({})", node.name, node.op->name), std::move(done).error());
  }
  if (sanitizer && computes) sanitizer->after_step(nodes, tensors_);
  return {};
}

template <class Visit>
Result<void> Instance::for_each_step(const Partition& partition, Visit&& visit) {
  const std::vector<FusedGroup>& groups = executable_->program.groups;
  auto group = std::ranges::lower_bound(groups, partition.nodes.first, {},
                                        [](const FusedGroup& candidate) { return candidate.nodes.first; });
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end;) {
    const bool fused = group != groups.end() && group->nodes.first == n;
    const NodeRange nodes = fused ? group->nodes : NodeRange{n, n + 1};
    TRY_VOID(visit(nodes, fused ? &*group++ : nullptr));
    n = nodes.end;
  }
  return {};
}

std::byte* Instance::bound_output(const Partition& partition, std::size_t i) const {
  if (partition.passed[i] >= 0) {
    return outside_[partition.arguments[static_cast<std::size_t>(partition.passed[i])].index].storage;
  }
  const ValueId output = partition.outputs[i];
  const std::optional<NodeId>& maker = executable_->makers[executable_->program.graph.meta(output).storage.index];
  // Memory that no node of the partition makes is memory that nobody writes.
  return maker && partition.nodes.holds(maker->index) ? tensors_[output.index].storage : nullptr;
}

// What the delegate keeps to itself is left nowhere, so that who asks for it reads poison.
Result<void> Instance::run_delegate(std::size_t p, Sanitizer* sanitizer) {
  const Partition& partition = executable_->program.partitions[p];
  const DelegatedPartition& delegated = executable_->delegated[p];
  if (sanitizer) sanitizer->before_step(partition.nodes, tensors_);
  const auto gathered = [&](std::span<const ValueId> values) {
    std::vector<TensorRef> tensors;
    for (ValueId value : values) tensors.push_back(tensors_[value.index]);
    return tensors;
  };
  const std::vector<TensorRef> inputs = gathered(partition.inputs);
  const Graph& graph = executable_->program.graph;
  for (ValueId output : delegated.outputs) tensors_[output.index].storage = address(graph.meta(output).storage);
  if (auto done = delegated.delegate->run(inputs, gathered(delegated.outputs)); !done) {
    return at(fmt::format("{} and {} more nodes", graph.nodes[partition.nodes.first].name, partition.nodes.size() - 1),
              std::move(done).error());
  }
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
    for (ValueId result : graph.nodes[n].results) {
      const ValueId operand = executable_->lies_in[result.index];
      if (operand.valid()) tensors_[result.index].storage = tensors_[operand.index].storage;
    }
  }
  if (sanitizer) sanitizer->after_step(partition.nodes, tensors_);
  return {};
}

Result<void> Instance::run_kernels(const Partition& partition, Sanitizer* sanitizer) {
  return for_each_step(partition, [&](NodeRange nodes, const FusedGroup* group) {
    return watched(nodes, group, sanitizer, [&] { return run_step(nodes, group); });
  });
}

// The steps only say where everything lies; then they all run.
Result<void> Instance::run_on_device(std::size_t p, Sanitizer* sanitizer) {
  TRY_VOID(for_each_step(executable_->program.partitions[p], [&](NodeRange nodes, const FusedGroup* group) {
    return watched(nodes, group, sanitizer, [] { return Result<void>(); });
  }));
  return on_device_[p]->run(tensors_);
}

Result<void> Instance::run_partition(std::size_t p, Sanitizer* sanitizer) {
  const Partition& partition = executable_->program.partitions[p];
  for (std::size_t i = 0; i < partition.inputs.size(); ++i) {
    tensors_[partition.inputs[i].index].storage = outside_[partition.arguments[i].index].storage;
  }
  if (executable_->delegated[p].delegate) {
    TRY_VOID(run_delegate(p, sanitizer));
  } else {
    TRY_VOID(on_device_[p] ? run_on_device(p, sanitizer) : run_kernels(partition, sanitizer));
  }
  for (std::size_t i = 0; i < std::min(partition.outputs.size(), partition.results.size()); ++i) {
    std::byte* storage = bound_output(partition, i);
    if (!storage) continue;
    TensorRef& result = outside_[partition.results[i].index];
    result.storage = storage;
    if (partition.output_types[i] != result.dtype) cross_as(partition.output_types[i], result);
  }
  return {};
}

Result<void> Instance::run_steps(Sanitizer* sanitizer) {
  for (std::size_t p = 0; p < executable_->program.partitions.size(); ++p) TRY_VOID(run_partition(p, sanitizer));
  return {};
}

Result<RunResult> Instance::run(std::span<const Tensor> feed, Sanitizer* sanitizer) {
  PARALLAX_CHECK(feed.size() == executable_->feed.size());
  TRY_VOID(ready_);
  TRY_VOID(make_memory(feed));
  if (sanitizer) {
    sanitizer->begin(block(Arena::Backend).get());
  }
  TRY_VOID(run_steps(sanitizer));
  if (sanitizer) sanitizer->at_return(outside_);
  const Program& program = executable_->program;
  if (auto written = written_redzone(program, executable_->redzones, block(Arena::Backend).get(), poison_)) {
    executable_->device.device->complain({Detector::Redzone, *std::move(written)});
  }
  RunResult result;
  const Graph& graph = executable_->program.graph;
  // The caller looks at its own memory, wherever the program thought that it was.
  const auto own = [&](ValueId value) { return in_place(value, address(graph.meta(value).storage)); };
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ValueId value = graph.outputs[i];
    result.outputs.push_back(in_place(value, outside_[value.index].storage));
    if (!program.told.empty()) result.outputs.back().layout = program.told[i];
  }
  for (ValueId value : executable_->inputs) result.inputs.push_back(own(value));
  for (ValueId value : executable_->buffers) result.buffers.push_back(own(value));
  for (const auto& partition : on_device_) result.on_device += partition ? partition->nodes_done() : 0;
  return result;
}

}  // namespace parallax::runtime
