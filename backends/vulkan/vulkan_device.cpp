#include "backends/vulkan/vulkan_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "backends/runtime/computing.h"
#include "backends/vulkan/device_kernel.h"
#include "core/choices.h"

namespace parallax::vulkan {
namespace {

using KeptPipelines = std::pair<Context*, std::shared_ptr<Pipelines>>;

// Those of every device, kept for the process however many targets it opens, and never destroyed (Context::open).
std::vector<KeptPipelines>& kept_pipelines() {
  static auto& kept = *new std::vector<KeptPipelines>;
  return kept;
}

// At exit. A validation layer may be gone by then, and nothing is called through it.
void save_caches() {
  for (const auto& [context, pipelines] : kept_pipelines()) {
    if (!context->validates()) pipelines->save_cache();
  }
}

}  // namespace

class VulkanPartition final : public DevicePartition {
 public:
  VulkanPartition(VulkanDevice& device, const Program& program, const Partition& partition,
                  const std::vector<bool>& inner, const DeviceTask& task, std::unique_ptr<Commands> commands)
      : device_(&device),
        task_(task),
        graph_(&program.graph),
        nodes_(partition.nodes),
        inner_(&inner),
        commands_(std::move(commands)),
        makers_(storage_makers(*graph_)) {
    for (const FusedGroup& group : program.groups) {
      if (nodes_.holds(group.nodes.first)) groups_.push_back(group.nodes);
    }
    for (std::size_t n = nodes_.first; n < nodes_.end; ++n) {
      const Node& node = graph_->nodes[n];
      for (const Argument& argument : node.arguments) for_each_value(argument, [&](ValueId v) { named_.push_back(v); });
      named_.insert(named_.end(), node.results.begin(), node.results.end());
    }
  }

  Result<void> run(std::span<const TensorRef> tensors) override {
    const std::lock_guard turn(device_->context_->turns());
    std::vector<const std::byte*> places;
    for (ValueId value : named_) places.push_back(tensors[value.index].storage);
    if (places != recorded_for_) {
      TRY_VOID(record(tensors));
      recorded_for_ = std::move(places);
    }
    if (is_empty_) return {};
    ++device_->submissions_;
    TRY(const std::optional<Raised> raised, commands_->submit());
    if (!raised) return {};
    const Node& node = graph_->nodes[static_cast<std::size_t>(raised->node)];
    return at(fmt::format("{} ({})", node.name, node.op->name), error_of(*raised));
  }

  int nodes_done() const override { return written_down_; }

 private:
  // In eager's words.
  static Error error_of(const Raised& raised) {
    // Of shaders/interface.glsl; the other is an index.
    constexpr uint32_t zero_division = 1;
    constexpr uint32_t wrong_count = 3;
    constexpr uint32_t float_zero_division = 4;
    if (raised.code == zero_division) return fail("integer division by zero").error();
    if (raised.code == float_zero_division) return refuse("float division by zero").error();
    if (raised.code == wrong_count) return refuse("the data count {}, not {}", raised.first, raised.second).error();
    return refuse("index {} is out of range for a dim of size {}", raised.first, raised.second).error();
  }

  Result<void> record(std::span<const TensorRef> tensors) {
    ++device_->recordings_;
    recorder_.emplace(*device_->context_, *device_->heap_, task_.rules);
    layouts_.clear();
    stepped_.assign(tensors.begin(), tensors.end());
    for (ValueId value : named_) {
      TensorRef& tensor = stepped_[value.index];
      tensor.layout = &layouts_.emplace_back(task_.rules.steps(*tensors[value.index].layout));
    }
    auto group = groups_.begin();
    written_down_ = 0;
    for (std::size_t n = nodes_.first; n < nodes_.end;) {
      if (group != groups_.end() && group->first == n) {
        TRY_VOID(record_group(*graph_, n, group->end, *inner_, stepped_, *recorder_));
        written_down_ += static_cast<int>(group->size());
        n = (group++)->end;
        continue;
      }
      if (computes(*graph_, makers_, NodeId(n))) {
        TRY_VOID(record_node(*graph_, NodeId(n), stepped_, *recorder_));
        ++written_down_;
      }
      ++n;
    }
    is_empty_ = recorder_->dispatches().empty();
    if (is_empty_) return {};
    return commands_->record(recorder_->dispatches(), recorder_->metadata(), device_->rules_for(task_), task_.rules);
  }

  VulkanDevice* device_;
  DeviceTask task_;
  const Graph* graph_;
  NodeRange nodes_;
  const std::vector<bool>* inner_;
  std::unique_ptr<Commands> commands_;
  std::vector<std::optional<NodeId>> makers_;  // by storage
  std::vector<NodeRange> groups_;
  std::vector<ValueId> named_;
  std::vector<const std::byte*> recorded_for_;  // by named_
  std::deque<Layout> layouts_;                  // likewise, as kernels step through them
  std::vector<TensorRef> stepped_;              // by value
  std::optional<Recorder> recorder_;            // its scratch memory is what the commands work in
  int written_down_ = 0;                        // nodes
  bool is_empty_ = true;
};

Result<std::shared_ptr<VulkanDevice>> VulkanDevice::open(const DeviceOptions& options) {
  static std::mutex opening;
  const std::lock_guard turn(opening);
  TRY(const std::shared_ptr<Context> context, Context::open(options.context));
  const uint32_t most = context->limits().group_invocations;
  if (options.rules.workgroup < 1 || options.rules.workgroup > most) {
    return fail("a workgroup of {}: {} takes from 1 to {}", options.rules.workgroup, context->device_name(), most);
  }
  std::vector<KeptPipelines>& kept = kept_pipelines();
  auto found = std::ranges::find(kept, context.get(), &KeptPipelines::first);
  if (found == kept.end()) {
    TRY(std::shared_ptr<Pipelines> pipelines, Pipelines::make(context));
    if (kept.empty()) std::atexit(save_caches);
    kept.emplace_back(context.get(), std::move(pipelines));
    found = std::prev(kept.end());
  }
  return std::shared_ptr<VulkanDevice>(new VulkanDevice(context, found->second, options));
}

Result<std::unique_ptr<DevicePartition>> VulkanDevice::prepare(const Program& program, const Partition& partition,
                                                               const std::vector<bool>& inner, const DeviceTask& task) {
  TRY(std::unique_ptr<Commands> commands, Commands::make(context_, heap_, pipelines_));
  return std::make_unique<VulkanPartition>(*this, program, partition, inner, task, std::move(commands));
}

CommandRules VulkanDevice::rules_for(const DeviceTask& task) const {
  CommandRules rules = options_.rules;
  if (!options_.draws_workgroups) return rules;
  // Few sizes, since each has its own pipelines. Small limits split what is never so large in a test.
  constexpr std::array<uint32_t, 4> sizes = {1, 8, 64, 256};
  constexpr std::array<uint32_t, 4> limits = {2, 16, 1024, 0};
  Choices choices(task.seed, 0);
  rules.workgroup = std::min(choices.pick(sizes), context_->limits().group_invocations);
  rules.groups = choices.pick(limits);
  return rules;
}

std::vector<Complaint> VulkanDevice::take_complaints() {
  std::vector<Complaint> complaints = Device::take_complaints();
  for (std::string& message : context_->take_messages())
    complaints.push_back({Detector::ValidationLayer, std::move(message)});
  for (std::string& what : context_->take_disorders()) complaints.push_back({Detector::WriteOrder, std::move(what)});
  return complaints;
}

DeviceStatistics VulkanDevice::statistics() const {
  return {pipelines_->statistics(), pipelines_->shaders().compiled(), recordings_, submissions_};
}

}  // namespace parallax::vulkan
