// F02: a result is written over its operand at the operand's first reader, although others are still to come
// (openvino #6193, #21952; nnfusion #200; iree #13003).
#include "compiler/faults.h"
#include "compiler/faults/replace_condition.h"

namespace parallax {
namespace {

// The operand has not been read before, which says nothing of what comes after.
bool operand_is_read_first_here(const InPlaceCandidate& candidate) {
  for (std::size_t n = 0; n < candidate.node.index; ++n) {
    for (const Argument& argument : candidate.graph.nodes[n].arguments) {
      bool read = false;
      for_each_value(argument, [&](ValueId value) { read |= value == candidate.operand; });
      if (read) return false;
    }
  }
  return true;
}

}  // namespace

const Fault in_place_over_live_operand = {
    "F02",
    "in-place despite a live reader",
    "planner",
    "a result takes the slot of an operand whose first reader it is, whoever reads the operand later",
    "openvino#6193, openvino#21952, nnfusion#200, nntrainer#1211, iree#13003",
    [](CompilerParts& parts) { replace_condition(parts, operand_dies_here, operand_is_read_first_here); },
};

}  // namespace parallax
