// Packing: blocks of bytes with a life each, put into one arena so that no two that live at once share a byte.
//
// The problem that every packer (planner/packers.h) solves: dynamic storage allocation with all lives known beforehand,
// which is NP-hard. It knows no graph; planner/plan_memory.h makes problems from storages.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace parallax {

// The steps from the one that writes a block first to the one that reads it last, both included.
struct LiveRange {
  int first = 0;
  int last = 0;

  bool overlaps(const LiveRange& other) const { return first <= other.last && other.first <= last; }
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

struct Block {
  LiveRange range;
  int64_t size = 0;       // bytes; 0 collides with nothing
  int64_t alignment = 1;  // of the offset, in bytes, at least 1
};

struct PackingProblem {
  std::vector<Block> blocks;
  int64_t enough = 0;  // a packing of this height is as good as any: stop looking
};

// Whether a packing is known to be the best there is.
enum class Proof : uint8_t {
  None,
  Lowest,      // no packing is lower
  Impossible,  // none is as low as `enough`, whatever this one's height is
};

struct Packing {
  std::vector<int64_t> offsets;  // by block
  int64_t height = std::numeric_limits<int64_t>::max();
  int64_t steps = 0;  // of work: blocks placed by the greedy packers, nodes of the exact search
  Proof proof = Proof::None;
};

// How much work a packer may do, and what its random choices are drawn from. The same problem, budget and seed give the
// same packing on every machine.
struct PackBudget {
  int64_t steps = 0;
  uint64_t seed = 1;
};

// `offset` rounded up to a multiple of `alignment`.
inline int64_t align_up(int64_t offset, int64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

// No packing is lower: the most bytes that live at one step.
int64_t lower_bound(const PackingProblem& problem);

// The end of the highest block.
int64_t height_of(const PackingProblem& problem, const std::vector<int64_t>& offsets);

// Whether no two blocks share a byte while both live, and all offsets are aligned. For tests and benchmarks, by
// comparison of all pairs.
bool is_packing(const PackingProblem& problem, const std::vector<int64_t>& offsets);

}  // namespace parallax
