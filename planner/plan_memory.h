// Plan memory: from lifetimes to a plan, one arena after the other.
#pragma once

#include <limits>

#include "planner/in_place.h"
#include "planner/joins.h"
#include "planner/packers.h"

namespace parallax {

struct ArenaRule {
  int64_t alignment = 16;                               // of every slot, in bytes, at least 1
  int64_t limit = std::numeric_limits<int64_t>::max();  // bytes that the arena may have
  int64_t redzone = 0;                                  // bytes behind every slot of an arena that is packed
};

using StorageSizes = int64_t (*)(const Graph& graph, StorageId storage);

// The size of a slot that results share with their operand in place.
int64_t larger_size(int64_t operand, int64_t result);

struct MemoryOptions {
  std::array<ArenaRule, arena_count> rules;
  // Enough for a lowest arena of nearly all random graphs of fifty nodes; most of ten need no search
  // (bench/planner_bench).
  PackBudget budget{20000, 1};
  StorageSizes sizes = storage_bytes;
  int64_t (*shared_size)(int64_t operand, int64_t result) = larger_size;
  LiveRange (*life_with_part)(const LiveRange& whole, const LiveRange& part) = parallax::life_with_part;
  PackFn packer = pack_by_default;

  ArenaRule& rule(Arena arena) { return rules[static_cast<std::size_t>(arena)]; }
  const ArenaRule& rule(Arena arena) const { return rules[static_cast<std::size_t>(arena)]; }
};

// Storages that reuse one another in place get slots at one offset, and the parts of a join slots inside that of the
// whole; no part reuses or is reused. Refuses what passes an arena's limit or any size
// that a plan can state; the error names the node.
Result<Plan> plan_memory(const Graph& graph, const Lifetimes& lifetimes, std::vector<Reuse> reuses,
                         const MemoryOptions& options, std::span<const Join> joins = {});

}  // namespace parallax
