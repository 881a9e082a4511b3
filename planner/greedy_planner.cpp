#include "planner/greedy_planner.h"

#include <algorithm>

namespace parallax {
namespace {

struct Placed {
  Slot slot;
  LiveRange range;
};

int64_t align_up(int64_t offset, int64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

// The lowest aligned offset at which `size` bytes touch no slot that lives at the same time. `placed` is sorted by
// offset.
int64_t first_fit(const std::vector<Placed>& placed, int64_t size, const LiveRange& range, int64_t alignment) {
  int64_t offset = 0;
  for (const Placed& other : placed) {
    if (!other.range.overlaps(range)) continue;
    if (offset + size <= other.slot.offset) break;
    offset = std::max(offset, align_up(other.slot.end(), alignment));
  }
  return offset;
}

}  // namespace

Plan plan_greedily(const Graph& graph, const Lifetimes& lifetimes, int64_t alignment) {
  Plan plan;
  plan.placements.resize(lifetimes.size());
  std::vector<StorageId> order;
  for (std::size_t s = 0; s < lifetimes.size(); ++s) {
    plan.placements[s].place = lifetimes[s].place;
    if (lifetimes[s].place == Place::Arena) order.emplace_back(s);
  }
  std::ranges::sort(order, [&](StorageId a, StorageId b) {
    const int64_t a_bytes = storage_bytes(graph, a);
    const int64_t b_bytes = storage_bytes(graph, b);
    return a_bytes != b_bytes ? a_bytes > b_bytes : a < b;
  });
  std::vector<Placed> placed;
  for (StorageId storage : order) {
    const int64_t size = storage_bytes(graph, storage);
    if (size == 0) continue;  // no bytes: nothing to collide with
    const LiveRange range = lifetimes[storage.index].range;
    const Slot slot{first_fit(placed, size, range, alignment), size};
    plan.placements[storage.index].slot = slot;
    plan.arena_size = std::max(plan.arena_size, slot.end());
    const auto after = std::upper_bound(placed.begin(), placed.end(), slot.offset,
                                        [](int64_t offset, const Placed& other) { return offset < other.slot.offset; });
    placed.insert(after, {slot, range});
  }
  return plan;
}

}  // namespace parallax
