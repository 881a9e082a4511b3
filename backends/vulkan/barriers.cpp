#include "backends/vulkan/barriers.h"

#include <algorithm>
#include <optional>

namespace parallax::vulkan {
namespace {

bool overlap(const BufferRange& a, const BufferRange& b) {
  return a.buffer == b.buffer && a.offset < b.end() && b.offset < a.end();
}

bool any_overlap(std::span<const BufferRange> some, std::span<const BufferRange> others) {
  return std::ranges::any_of(some, [&](const BufferRange& a) {
    return std::ranges::any_of(others, [&](const BufferRange& b) { return overlap(a, b); });
  });
}

}  // namespace

bool BarrierTracker::before(std::span<const BufferRange> reads, std::span<const BufferRange> writes) {
  std::optional<Hazard> hazard;
  if (any_overlap(writes, read_)) hazard = Hazard::WriteAfterRead;
  if (any_overlap(writes, written_)) hazard = Hazard::WriteAfterWrite;
  if (any_overlap(reads, written_)) hazard = Hazard::ReadAfterWrite;
  const bool first = read_.empty() && written_.empty();
  const bool needed = (!first && mode_ == BarrierMode::Full) || (hazard && rule_(*hazard, hazards_++));
  if (needed) {
    read_.clear();
    written_.clear();
  }
  read_.insert(read_.end(), reads.begin(), reads.end());
  written_.insert(written_.end(), writes.begin(), writes.end());
  return needed;
}

}  // namespace parallax::vulkan
