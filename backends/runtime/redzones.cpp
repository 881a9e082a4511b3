#include "backends/runtime/redzones.h"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::runtime {
namespace {

// The names of what lies in the slot that ends last in front of a byte.
std::string neighbour_text(const Program& program, int64_t byte) {
  const std::vector<Placement>& placements = program.plan.placements;
  std::optional<std::size_t> nearest;
  for (std::size_t s = 0; s < placements.size(); ++s) {
    const auto& [arena, slot] = placements[s];
    if (arena != Arena::Backend || slot.size == 0 || slot.end() > byte) continue;
    if (!nearest || slot.end() > placements[*nearest].slot.end()) nearest = s;
  }
  if (!nearest) return "in front of all slots";
  const Slot& slot = placements[*nearest].slot;
  const auto& metas = program.graph.metas;
  const auto owner = std::ranges::find(metas, StorageId(*nearest), &TensorMeta::storage);
  const std::string name =
      owner == metas.end() ? "" : program.graph.names[static_cast<std::size_t>(owner - metas.begin())];
  return fmt::format("behind {} in [{}, {})", name, slot.offset, slot.end());
}

}  // namespace

std::vector<Slot> redzones_of(const Plan& plan, int64_t end) {
  std::vector<Slot> slots;
  for (const auto& [arena, slot] : plan.placements) {
    if (arena == Arena::Backend) slots.push_back(slot);
  }
  std::ranges::sort(slots, {}, &Slot::offset);
  std::vector<Slot> redzones;
  int64_t covered = 0;
  for (const Slot& slot : slots) {
    if (slot.offset > covered) redzones.push_back({covered, slot.offset - covered});
    covered = std::max(covered, slot.end());
  }
  if (end > covered) redzones.push_back({covered, end - covered});
  return redzones;
}

std::optional<std::string> written_redzone(const Program& program, std::span<const Slot> redzones,
                                           const std::byte* arena, std::byte poison) {
  for (const Slot& redzone : redzones) {
    const std::byte* end = arena + redzone.end();
    const std::byte* written = std::find_if(arena + redzone.offset, end, [&](std::byte b) { return b != poison; });
    if (written == end) continue;
    return fmt::format("byte {} of the arena, which is nobody's, was written: {}", written - arena,
                       neighbour_text(program, written - arena));
  }
  return std::nullopt;
}

}  // namespace parallax::runtime
