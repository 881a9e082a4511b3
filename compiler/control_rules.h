// What the compiler holds for true of branches and loops. A planted fault replaces one of these.
#pragma once

#include <cstdint>

#include "compiler/program.h"

namespace parallax {

// A loop's carry that its body might write where it lies.
struct CarryCandidate {
  const Schedule& schedule;  // of the body
  StorageId carry;           // the operand's
  StorageId next;            // the result's, which is made by the body
};

// No step reads the carry at or after the first one that writes the next.
bool carry_is_dead(const CarryCandidate& candidate);

int64_t all_steps(int64_t slices);

struct ControlRules {
  bool (*may_carry_in_place)(const CarryCandidate& candidate) = carry_is_dead;
  int64_t (*steps)(int64_t slices) = all_steps;     // that a scan or a map takes over so many
  bool moves_at_once = true;                        // all carries are read before one of them is written
  bool asks_each_time = true;                       // the predicate of a branch, in every run
  void (*edit_branch)(Program& program) = nullptr;  // of a compiled branch, before it is loaded

  friend bool operator==(const ControlRules&, const ControlRules&) = default;
};

}  // namespace parallax
