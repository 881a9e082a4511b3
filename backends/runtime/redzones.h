// Redzones: bytes of the backend's arena that are in nobody's slot, poisoned before a run and looked at after it. What
// writes there has left its slot, although no value need show it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/program.h"

namespace parallax::runtime {

// The bytes between the slots of a plan, and those behind them up to `end`.
std::vector<Slot> redzones_of(const Plan& plan, int64_t end);

// Says which byte of a redzone is not the poison that it was filled with, and whose slot it is behind. `arena` is the
// memory that the program ran in.
std::optional<std::string> written_redzone(const Program& program, std::span<const Slot> redzones,
                                           const std::byte* arena, std::byte poison);

}  // namespace parallax::runtime
