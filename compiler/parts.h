// The parts of the compiler that one compilation is made of. What a fault replaces.
#pragma once

#include <vector>

#include "compiler/fusion.h"
#include "compiler/passes.h"
#include "planner/plan_memory.h"

namespace parallax {

struct CompilerParts {
  std::vector<Pass> passes{standard_passes.begin(), standard_passes.end()};
  PartitionRules partition;
  FusionRules fusion;
  LifetimePolicy lifetimes = alias_set_lifetimes;
  InPlaceConditions in_place = in_place_conditions;
  StorageSizes sizes = storage_bytes;
  int64_t (*shared_size)(int64_t operand, int64_t result) = larger_size;
  PackFn packer = pack_by_default;
};

}  // namespace parallax
