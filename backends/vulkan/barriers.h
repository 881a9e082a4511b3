// Barriers: between which dispatches the device must wait, from the bytes that each reads and writes.
//
// Dispatches without a barrier between them may run at the same time. One is needed where bytes that were written since
// the last one are read (read after write) or written again (write after write), and where bytes that were read are
// written (write after read).
#pragma once

#include <span>
#include <vector>

#include "backends/vulkan/heap.h"
#include "compiler/device_rules.h"

namespace parallax::vulkan {

// Minimal: where bytes ask for it. Full: after every dispatch.
enum class BarrierMode : uint8_t { Minimal, Full };

class BarrierTracker {
 public:
  explicit BarrierTracker(BarrierMode mode, BarrierRule rule = wait_always) : mode_(mode), rule_(rule) {}

  // Whether a barrier must stand in front of a dispatch with these accesses, which counts as dispatched then.
  bool before(std::span<const BufferRange> reads, std::span<const BufferRange> writes);

 private:
  BarrierMode mode_;
  BarrierRule rule_;
  int hazards_ = 0;
  std::vector<BufferRange> read_, written_;  // since the last barrier
};

}  // namespace parallax::vulkan
