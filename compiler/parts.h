// The parts of the compiler that one compilation is made of. What a fault replaces.
#pragma once

#include "compiler/passes.h"
#include "planner/plan_memory.h"

namespace parallax {

struct CompilerParts {
  std::array<Pass, standard_passes.size()> passes = standard_passes;
  LifetimePolicy lifetimes = alias_set_lifetimes;
  bool reuse_in_place = false;  // although the compilation does not ask for it
  InPlaceConditions in_place = in_place_conditions;
  StorageSizes sizes = storage_bytes;
  PackFn packer = pack_by_default;
};

}  // namespace parallax
