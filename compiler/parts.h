// The parts of the compiler that one compilation is made of. What a fault replaces.
#pragma once

#include <vector>

#include "compiler/control_rules.h"
#include "compiler/device_rules.h"
#include "compiler/fusion.h"
#include "compiler/integer_rules.h"
#include "compiler/passes.h"
#include "compiler/resize.h"
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
  LiveRange (*life_with_part)(const LiveRange& whole, const LiveRange& part) = parallax::life_with_part;
  PackFn packer = pack_by_default;
  ResizeRules resize;
  DeviceRules device;
  ControlRules control;
  IntegerRules integers;

  // Puts another function in a pass's place.
  void replace_pass(std::string_view name, PassFn run);
  // The same, and moves the pass in front of all others.
  void replace_pass_and_run_it_first(std::string_view name, PassFn run);
};

}  // namespace parallax
