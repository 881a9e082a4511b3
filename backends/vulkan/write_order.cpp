#include "backends/vulkan/write_order.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::vulkan {

std::optional<std::string> WriteOrder::dispatch(std::span<const BufferRange> writes) {
  const int now = dispatches_++;
  std::optional<std::string> wrong;
  for (const BufferRange& range : writes) {
    for (const Write& before : writes_) {
      const uint64_t begin = std::max(range.offset, before.range.offset);
      const uint64_t end = std::min(range.end(), before.range.end());
      if (wrong || range.buffer != before.range.buffer || begin >= end) continue;
      wrong = fmt::format("WRITE_AFTER_WRITE: dispatches {} and {} write bytes [{}, {}) with no barrier between them",
                          before.dispatch, now, begin, end);
    }
  }
  for (const BufferRange& range : writes) writes_.push_back({now, range});
  return wrong;
}

}  // namespace parallax::vulkan
