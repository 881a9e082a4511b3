// Commands: dispatches recorded into one command buffer, which can be submitted again.
#pragma once

#include <deque>

#include "backends/vulkan/barriers.h"
#include "backends/vulkan/pipelines.h"
#include "backends/vulkan/shader_texts.h"

namespace parallax::vulkan {

// One call of a shader. Bindings that a narrower call leaves over are filled up.
struct Dispatch {
  const ShaderSource* source = nullptr;
  std::vector<BufferRange> reads, writes;  // by slot
  uint32_t metadata = 0;                   // its first word
  uint64_t count = 0;                      // invocations
  int raiser = -1;                         // the node to blame for what it raises
};

// What a kernel said that eager would raise.
struct Raised {
  int node = -1;
  uint32_t code = 0;
  int64_t first = 0, second = 0;
};

struct CommandRules {
  BarrierMode barriers = BarrierMode::Minimal;
  uint32_t workgroup = 64;  // invocations
  uint32_t groups = 0;      // that one dispatch may have; 0: as many as the device takes
};

class Commands {
 public:
  static Result<std::unique_ptr<Commands>> make(std::shared_ptr<Context> context, std::shared_ptr<Heap> heap,
                                                std::shared_ptr<Pipelines> pipelines);

  // Records dispatches in order over these words of metadata, in place of what was recorded before.
  Result<void> record(std::span<const Dispatch> dispatches, std::span<const uint32_t> metadata,
                      const CommandRules& rules, const DeviceRules& device);

  // Runs what was recorded to its end, and what was raised first, by node.
  Result<std::optional<Raised>> submit();

 private:
  Commands() = default;
  Result<void> start();
  void bind(const Dispatch& dispatch, const BufferRange& status) const;
  void dispatch_groups(const Dispatch& dispatch, const CommandRules& rules, bool splits) const;

  std::shared_ptr<Context> context_;
  std::shared_ptr<Heap> heap_;
  std::shared_ptr<Pipelines> pipelines_;
  CommandPoolHandle pool_;
  FenceHandle fence_;
  VkCommandBuffer buffer_ = nullptr;  // of the pool

  std::shared_ptr<std::byte[]> memory_;  // metadata, then a status for each dispatch that may raise
  BufferRange metadata_;
  uint64_t status_stride_ = 0;
  std::byte* statuses_ = nullptr;
  std::vector<int> raisers_;  // by status: the node
};

}  // namespace parallax::vulkan
