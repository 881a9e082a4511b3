// Plan: where the bytes of each storage lie while a graph runs.
//
// Only values: planners make a plan (planner/greedy_planner.h), the checker judges one (planner/plan_checker.h). Steps
// are the graph's nodes in order: step i is node i. Offsets and sizes are bytes from the start of the arena.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// The steps from the one that writes a storage first to the one that reads it last, both included.
struct LiveRange {
  int first = 0;
  int last = 0;

  bool overlaps(const LiveRange& other) const { return first <= other.last && other.first <= last; }
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

// Bytes [offset, end()) of the arena.
struct Slot {
  int64_t offset = 0;
  int64_t size = 0;

  int64_t end() const { return offset + size; }
  friend bool operator==(const Slot&, const Slot&) = default;
};

enum class Place : uint8_t {
  Caller,    // the caller's own memory: inputs, constants, buffers, declared storages
  Returned,  // memory of its own for each run, handed to the caller with the output
  Arena,     // a slot of the arena, used again once its live range is over
};

// What a planner is told of one storage.
struct Lifetime {
  Place place = Place::Caller;
  LiveRange range;  // of storages in the arena

  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

// Where one storage lies; the slot counts in the arena only.
struct Placement {
  Place place = Place::Caller;
  Slot slot;

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements;  // by StorageId
  int64_t arena_size = 0;

  const Placement& placement(StorageId storage) const { return placements[storage.index]; }
};

// How many storages of the arena lie, in whole or in part, in bytes that another one has at another time.
int count_reused_slots(const Plan& plan);

// The size of a storage in bytes.
int64_t storage_bytes(const Graph& graph, StorageId storage);

}  // namespace parallax
