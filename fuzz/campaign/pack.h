// Packing: several independent cases as one program, for targets whose cost is per program and not per node.
//
// What a pack shows wrong is confirmed on the case alone. A pack has another plan than its cases, so it may hide what
// one of them shows, and show what none of them does; the caller runs a share of the cases both ways.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "backends/examine.h"

namespace parallax {

struct Pack {
  struct Part {
    std::size_t inputs = 0, buffers = 0, outputs = 0;
  };
  Case test;
  std::vector<Part> parts;  // of the cases, in order
};

// The cases side by side, their names told apart by a prefix; nothing where that is no valid case.
std::optional<Pack> pack(std::span<const Case> tests);

// What a run of the whole pack that went well says of one of its cases.
Outcome part_of(const Pack& whole, std::size_t part, const Outcome& outcome);

struct PackedCase {
  Case test;  // the one that was given or, where only the pack shows a divergence, the pack
  Examination examination;
  bool ran_packed = false;  // judged from a pack that went well
};

// Examines each case, as few programs as that takes: those that the oracle can run twice are packed; a pack that is
// refused or fails is split in two.
std::vector<PackedCase> examine_packed(Target& target, std::vector<Case> tests);

}  // namespace parallax
