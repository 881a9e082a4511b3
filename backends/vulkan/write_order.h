// WriteOrder: whether barriers keep the writes of a command buffer in order.
//
// The synchronization validation of the Khronos layer says nothing of a write after a write of the same kind through
// bound descriptors (it suppresses them as too often harmless), and all our dispatches write in that way. So this says
// it in its place: from what was recorded, not from what the tracker of barriers decided.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/heap.h"

namespace parallax::vulkan {

class WriteOrder {
 public:
  void barrier() { writes_.clear(); }
  // A dispatch with these writes; what is wrong with it, if bytes of theirs were written since the last barrier.
  std::optional<std::string> dispatch(std::span<const BufferRange> writes);

 private:
  struct Write {
    int dispatch;
    BufferRange range;
  };
  std::vector<Write> writes_;  // since the last barrier
  int dispatches_ = 0;
};

}  // namespace parallax::vulkan
