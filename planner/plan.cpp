#include "planner/plan.h"

#include <algorithm>

namespace parallax {

int count_reused_slots(const Plan& plan) {
  std::vector<Slot> slots;
  for (const Placement& placement : plan.placements) {
    if (placement.arena == Arena::Backend && placement.slot.size > 0) slots.push_back(placement.slot);
  }
  std::ranges::sort(slots, {}, &Slot::offset);
  int reused = 0;
  int64_t end = 0;
  for (const Slot& slot : slots) {
    reused += slot.offset < end;
    end = std::max(end, slot.end());
  }
  return reused;
}

int64_t storage_bytes(const Graph& graph, StorageId storage) {
  const Storage& record = graph.storage(storage);
  return record.elements * size_of(record.dtype);
}

}  // namespace parallax
