// The Vulkan device: partitions become dispatches of one command buffer over the plan's memory.
//
// A partition is written down and recorded once, and submitted again as long as its memory is where it was.
#pragma once

#include "backends/device.h"
#include "backends/vulkan/commands.h"

namespace parallax::vulkan {

struct DeviceOptions {
  ContextRequest context;
  CommandRules rules;
  bool draws_workgroups = false;  // for each load a legal size and limit, from the task's seed
};

// What a device did, for tests and benchmarks.
struct DeviceStatistics {
  PipelineStatistics pipelines;
  int shaders_compiled = 0;
  int64_t recordings = 0;
  int64_t submissions = 0;
};

class VulkanDevice final : public Device {
 public:
  static Result<std::shared_ptr<VulkanDevice>> open(const DeviceOptions& options);

  Result<std::shared_ptr<std::byte[]>> allocate(int64_t bytes) override { return heap_->allocate(bytes); }
  Result<std::unique_ptr<DevicePartition>> prepare(const Program& program, const Partition& partition,
                                                   const std::vector<bool>& inner, const DeviceTask& task) override;
  std::vector<Complaint> take_complaints() override;

  const Context& context() const { return *context_; }
  DeviceStatistics statistics() const;

 private:
  friend class VulkanPartition;
  VulkanDevice(std::shared_ptr<Context> context, std::shared_ptr<Pipelines> pipelines, const DeviceOptions& options)
      : context_(std::move(context)),
        heap_(std::make_shared<Heap>(context_)),
        pipelines_(std::move(pipelines)),
        options_(options) {}
  CommandRules rules_for(const DeviceTask& task) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<Heap> heap_;
  std::shared_ptr<Pipelines> pipelines_;
  DeviceOptions options_;
  int64_t recordings_ = 0;
  int64_t submissions_ = 0;
};

}  // namespace parallax::vulkan
