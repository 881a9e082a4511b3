// The parts of the compiler that one compilation is made of. What a fault replaces.
#pragma once

#include "compiler/passes.h"
#include "planner/greedy_planner.h"

namespace parallax {

struct CompilerParts {
  std::array<Pass, standard_passes.size()> passes = standard_passes;
  LifetimePolicy lifetimes = alias_set_lifetimes;
  Planner planner = plan_greedily;
};

}  // namespace parallax
