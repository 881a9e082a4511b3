// F42: offsets are rounded to the alignment before the sizes are added, and not after (tflite-micro #1548, TVM #8487,
// #11221).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

constexpr int64_t word = 8;  // the alignment of the backend's arena, in bytes

// Every offset rounded down to the word that it lies in: a block behind one whose size is no multiple of a word begins
// inside it.
Packing pack_with_offsets_rounded_down(const PackingProblem& problem, const PackBudget& budget) {
  PackingProblem odd = problem;
  // The sizes that came rounded up are taken for sizes that are still to be rounded.
  for (Block& block : odd.blocks) block.size = std::max<int64_t>(block.size - word / 2, 0);
  Packing packing = pack_by_default(odd, budget);
  for (int64_t& offset : packing.offsets) offset = offset / word * word;
  packing.height = height_of(problem, packing.offsets);
  return packing;
}

}  // namespace

const Fault rounded_before_the_size = {
    "F42",
    "alignment",
    "planner",
    "offsets are rounded before the size is added, so that a slot begins inside the one below",
    "tflite-micro#1548, tvm#8487, tvm#11221",
    [](CompilerParts& parts) { parts.packer = pack_with_offsets_rounded_down; },
};

}  // namespace parallax
