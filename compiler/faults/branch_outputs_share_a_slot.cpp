// F49: what a branch returns is planned as if one result at a time were looked at, so results of one size get one slot
// (ExecuTorch #21490: two branches in one program use each other's memory).
#include "compiler/faults.h"

namespace parallax {
namespace {

void share_slots(Program& program) {
  std::vector<Placement>& placements = program.plan.placements;
  for (std::size_t s = 0; s < placements.size(); ++s) {
    if (placements[s].arena != Arena::Returned) continue;
    for (std::size_t other = 0; other < s; ++other) {
      if (placements[other].arena == Arena::Returned && placements[other].slot.size == placements[s].slot.size)
        placements[s].slot = placements[other].slot;
    }
  }
}

}  // namespace

const Fault branch_outputs_share_a_slot = {
    "F49",
    "branch outputs share a slot",
    "compiler/compiled_control.cpp",
    "results of a branch that have one size lie in one slot, and the last that is made overwrites the others",
    "executorch#21490",
    [](CompilerParts& parts) { parts.control.edit_branch = share_slots; },
};

}  // namespace parallax
