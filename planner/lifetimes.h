// Lifetimes: how long each storage of a graph holds something that is still to be read, and whose memory it is in.
#pragma once

#include <vector>

#include "planner/packing.h"
#include "planner/plan.h"

namespace parallax {

// What a planner is told of one storage.
struct Lifetime {
  Arena arena = Arena::Inputs;
  LiveRange range;     // of storages in the backend's arena; the others live all along
  bool stored = true;  // false for what only ever passes through a fused loop: it needs no bytes

  friend bool operator==(const Lifetime&, const Lifetime&) = default;
};

// By StorageId.
using Lifetimes = std::vector<Lifetime>;
using LifetimePolicy = Lifetimes (*)(const Graph& graph);

// The sound policy: a storage lives until the last use of any value of its alias set, and belongs to the caller once
// any of them is returned. Values of one alias set name the same StorageId, so the metadata is the alias analysis.
Lifetimes alias_set_lifetimes(const Graph& graph);

}  // namespace parallax
