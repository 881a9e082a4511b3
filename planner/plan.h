// Plan: where the bytes of each storage lie while a graph runs.
//
// Only values: plan_memory makes a plan (planner/plan_memory.h), the checker judges one (planner/plan_checker.h). Steps
// are the graph's nodes in order: step i is node i. Offsets and sizes are bytes from the start of an arena.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// Bytes [offset, end()) of an arena.
struct Slot {
  int64_t offset = 0;
  int64_t size = 0;

  int64_t end() const { return offset + size; }
  friend bool operator==(const Slot&, const Slot&) = default;
};

// The arenas of a program: one block of memory each, with one owner.
enum class Arena : uint8_t {
  Inputs,     // what is fed to a run: the caller's own memory
  Returned,   // memory of its own for each run, handed to the caller with the outputs
  Backend,    // used again within a run, once a live range is over, and by the next run
  Constants,  // lives as long as the program is loaded
  State,      // likewise; written by a run and read by the next
};
inline constexpr std::size_t arena_count = 5;
inline constexpr std::array<std::string_view, arena_count> arena_names = {"inputs", "returned", "backend", "constants",
                                                                          "state"};
inline constexpr std::array all_arenas = {Arena::Inputs, Arena::Returned, Arena::Backend, Arena::Constants,
                                          Arena::State};
constexpr std::string_view name(Arena arena) { return arena_names[static_cast<std::size_t>(arena)]; }

// Whether what lies there is there before the run begins, and is looked at after it.
constexpr bool is_given(Arena arena) {
  return arena == Arena::Inputs || arena == Arena::Constants || arena == Arena::State;
}

// Where one storage lies.
struct Placement {
  Arena arena = Arena::Inputs;
  Slot slot;

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct ArenaUse {
  int64_t size = 0;
  int64_t alignment = 1;  // of every slot's offset

  friend bool operator==(const ArenaUse&, const ArenaUse&) = default;
};

// In-place reuse: a node writes its result over an operand that it is the last to read.
struct Reuse {
  NodeId node;
  StorageId operand;
  StorageId result;

  friend bool operator==(const Reuse&, const Reuse&) = default;
};

struct Plan {
  std::vector<Placement> placements;  // by StorageId
  std::array<ArenaUse, arena_count> arenas;
  std::vector<Reuse> reuses;

  const Placement& placement(StorageId storage) const { return placements[storage.index]; }
  ArenaUse& arena(Arena arena) { return arenas[static_cast<std::size_t>(arena)]; }
  const ArenaUse& arena(Arena arena) const { return arenas[static_cast<std::size_t>(arena)]; }
  friend bool operator==(const Plan&, const Plan&) = default;
};

// How many storages of the backend's arena lie, in whole or in part, in bytes that another one has at another time.
int count_reused_slots(const Plan& plan);

// The size of a storage in bytes.
int64_t storage_bytes(const Graph& graph, StorageId storage);

}  // namespace parallax
