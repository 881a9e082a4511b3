#include "planner/plan_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/mutant_switches.h"

namespace parallax {
namespace {

// Far above any memory there is, and far enough below the range that sums of slots cannot overflow.
constexpr int64_t most_bytes = int64_t{1} << 48;

// The node or source that a storage belongs to, for messages.
std::string owner_text(const Graph& graph, StorageId storage) {
  const std::optional<NodeId> maker = storage_makers(graph)[storage.index];
  if (maker) return fmt::format("node '{}' ({})", graph.node(*maker).name, graph.node(*maker).op->name);
  for (std::size_t v = 0; v < graph.metas.size(); ++v) {
    if (graph.metas[v].storage == storage) return fmt::format("'{}'", graph.names[v]);
  }
  return fmt::format("storage '{}'", graph.storage(storage).name);
}

class MemoryPlanner {
 public:
  MemoryPlanner(const Graph& graph, const Lifetimes& lifetimes, const MemoryOptions& options)
      : graph_(graph),
        lifetimes_(lifetimes),
        options_(options),
        shared_with_(lifetimes.size()),
        inside_(lifetimes.size(), -1) {}

  Result<Plan> run(std::vector<Reuse> reuses, std::span<const Join> joins) {
    for (const Join& join : joins) {
      shared_with_[join.part.index] = join.whole;
      inside_[join.part.index] = join.offset;
    }
    // Reuses go by node, so an operand that overwrites another one itself is known to.
    for (const Reuse& reuse : reuses) {
      const std::size_t shared =
          taken_unless_dropped<"one_link_of_reuse">() ? root(reuse.operand.index) : reuse.operand.index;
      shared_with_[reuse.result.index] = StorageId(shared);
    }
    plan_.reuses = std::move(reuses);
    TRY_VOID(size_slots());
    for (std::size_t a = 0; a < arena_count; ++a) {
      const auto arena = static_cast<Arena>(a);
      plan_.arena(arena).alignment = options_.rule(arena).alignment;
      if (arena == Arena::Backend) {
        pack(arena);
      } else {
        stack(arena);
      }
    }
    for (std::size_t s = 0; s < plan_.placements.size(); ++s) plan_.placements[s].slot.offset = offset(s);
    for (const Placement& placement : plan_.placements) {
      int64_t& size = plan_.arena(placement.arena).size;
      size = std::max(size, placement.slot.end());
    }
    TRY_VOID(check_limits());
    return std::move(plan_);
  }

 private:
  // The storage whose slot this one shares.
  std::size_t root(std::size_t storage) const {
    return shared_with_[storage].valid() ? shared_with_[storage].index : storage;
  }
  bool is_part(std::size_t storage) const { return inside_[storage] >= 0; }
  int64_t offset(std::size_t storage) const {
    return plan_.placements[root(storage)].slot.offset + (is_part(storage) ? inside_[storage] : 0);
  }

  Result<void> size_slots() {
    int64_t total = 0;
    for (std::size_t s = 0; s < lifetimes_.size(); ++s) {
      const StorageId storage(s);
      const int64_t bytes = lifetimes_[s].stored ? options_.sizes(graph_, storage) : 0;
      const Arena arena = lifetimes_[root(s)].arena;
      if (bytes < 0 || bytes > most_bytes || (total += bytes) > most_bytes) {
        return fail("{} has a size that no plan can hold", owner_text(graph_, storage));
      }
      plan_.placements.push_back({arena, {0, bytes}});
    }
    return {};
  }

  // What lives all along goes side by side.
  void stack(Arena arena) {
    int64_t end = 0;
    for (std::size_t s = 0; s < plan_.placements.size(); ++s) {
      Placement& placement = plan_.placements[s];
      if (placement.arena != arena || shared_with_[s].valid()) continue;
      placement.slot.offset = align_up(end, options_.rule(arena).alignment);
      end = exact_or_one_less<"stacked_one_short">(placement.slot.end());
    }
  }

  void pack(Arena arena) {
    const ArenaRule& rule = options_.rule(arena);
    const auto block_size = [&](std::size_t s) {
      const int64_t bytes = plan_.placements[s].slot.size;
      return bytes == 0 ? 0 : align_up(bytes + rule.redzone, rule.alignment);
    };
    // Sizes rounded up to the alignment leave every offset aligned, and the packers a bound that they can reach.
    PackingProblem problem;
    std::vector<std::size_t> storages;
    std::vector<int> block_of(plan_.placements.size(), -1);
    for (std::size_t s = 0; s < plan_.placements.size(); ++s) {
      if (plan_.placements[s].arena != arena || shared_with_[s].valid()) continue;
      block_of[s] = static_cast<int>(problem.blocks.size());
      storages.push_back(s);
      problem.blocks.push_back({lifetimes_[s].range, block_size(s), 1});
    }
    for (std::size_t s = 0; s < plan_.placements.size(); ++s) {
      if (plan_.placements[s].arena != arena || !shared_with_[s].valid()) continue;
      Block& block = problem.blocks[static_cast<std::size_t>(block_of[root(s)])];
      if (is_part(s)) {
        block.range = options_.life_with_part(block.range, lifetimes_[s].range);
        continue;
      }
      if (taken_unless_dropped<"shared_slot_begins_late">())
        block.range.first = std::min(block.range.first, lifetimes_[s].range.first);
      if (taken_unless_dropped<"shared_slot_ends_early">())
        block.range.last = std::max(block.range.last, lifetimes_[s].range.last);
      block.size = options_.shared_size(block.size, block_size(s));
    }
    if (problem.blocks.empty()) return;
    const Packing packing = options_.packer(problem, options_.budget);
    for (std::size_t b = 0; b < storages.size(); ++b) {
      plan_.placements[storages[b]].slot.offset = packing.offsets[b];
    }
  }

  Result<void> check_limits() const {
    for (std::size_t s = 0; s < plan_.placements.size(); ++s) {
      const auto& [arena, slot] = plan_.placements[s];
      const int64_t limit = options_.rule(arena).limit;
      if (slot.end() <= limit) continue;
      return std::unexpected(
          Error{ErrorKind::Unsupported, "", "",
                fmt::format("the plan does not fit: the {} arena may have {} bytes, and {} lies in [{}, {})",
                            name(arena), limit, owner_text(graph_, StorageId(s)), slot.offset, slot.end())});
    }
    return {};
  }

  const Graph& graph_;
  const Lifetimes& lifetimes_;
  const MemoryOptions& options_;
  std::vector<StorageId> shared_with_;  // by storage: the first of those that overwrite each other; invalid for itself
  std::vector<int64_t> inside_;         // by storage: where in the one it shares with it lies; -1 for what is no part
  Plan plan_;
};

}  // namespace

int64_t larger_size(int64_t operand, int64_t result) { return std::max(operand, result); }

Result<Plan> plan_memory(const Graph& graph, const Lifetimes& lifetimes, std::vector<Reuse> reuses,
                         const MemoryOptions& options, std::span<const Join> joins) {
  return MemoryPlanner(graph, lifetimes, options).run(std::move(reuses), joins);
}

}  // namespace parallax
