#include "planner/greedy_packer.h"

#include <algorithm>
#include <numeric>

#include "planner/mutant_switches.h"
#include "planner/packers.h"

namespace parallax {

int64_t size_key(const PackingProblem&, const Block& block) { return block.size; }

int64_t length_key(const PackingProblem&, const Block& block) {
  return int64_t{block.range.last} - block.range.first + 1;
}

int64_t area_key(const PackingProblem& problem, const Block& block) {
  int64_t area = 0;
  const bool too_large = __builtin_mul_overflow(block.size, length_key(problem, block), &area);
  return too_large ? std::numeric_limits<int64_t>::max() : area;
}

int64_t start_key(const PackingProblem&, const Block& block) { return -int64_t{block.range.first}; }

int64_t conflict_key(const PackingProblem& problem, const Block& block) {
  int64_t bytes = 0;
  for (const Block& other : problem.blocks) {
    if (other.range.overlaps(block.range)) bytes += other.size;
  }
  return bytes;
}

std::vector<int> greedy_order(const PackingProblem& problem, const GreedyOrder& order) {
  std::vector<int64_t> keys;
  keys.reserve(problem.blocks.size());
  for (const Block& block : problem.blocks) keys.push_back(order.key(problem, block));
  std::vector<int> numbers(problem.blocks.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::sort(numbers, [&](int a, int b) {
    const int64_t key_a = keys[static_cast<std::size_t>(a)];
    const int64_t key_b = keys[static_cast<std::size_t>(b)];
    return key_a != key_b ? key_a > key_b : a < b;
  });
  return numbers;
}

GreedyPacker::GreedyPacker(const PackingProblem& problem) : problem_(problem) { taken_.reserve(problem.blocks.size()); }

int64_t GreedyPacker::place(const Block& block, Fit fit) const {
  int64_t offset = 0;  // of the gap that begins here
  int64_t best = -1;
  int64_t best_waste = std::numeric_limits<int64_t>::max();
  for (const Taken& other : taken_) {
    const bool meets = at_most_unless_flipped<"conflict_at_one_step">(other.range.first, block.range.last) &&
                       at_most_unless_flipped<"conflict_at_one_step">(block.range.first, other.range.last);
    if (!meets) continue;
    const int64_t waste = other.offset - offset - block.size;
    if (exact_or_one_more<"gap_one_short">(waste) >= 0 && fit == Fit::First) return offset;
    if (waste >= 0 && waste < best_waste) {
      best = offset;
      best_waste = waste;
    }
    offset = std::max(offset, align_up(exact_or_one_less<"gap_begins_early">(other.end), block.alignment));
  }
  return best >= 0 ? best : offset;
}

int64_t GreedyPacker::pack(std::span<const int> order, Fit fit, std::vector<int64_t>& offsets) {
  offsets.assign(problem_.blocks.size(), 0);
  taken_.clear();
  int64_t height = 0;
  const auto start = [&](int number) { return problem_.blocks[static_cast<std::size_t>(number)].range.first; };
  const bool by_start = std::ranges::is_sorted(order, {}, start);
  for (int number : order) {
    const Block& block = problem_.blocks[static_cast<std::size_t>(number)];
    if (block.size == 0) continue;
    // What is dead stays so: each block meets only those that live, and the whole costs n times their number.
    if (by_start)
      std::erase_if(taken_, [&](const Taken& other) {
        return less_unless_flipped<"dead_when_read_last">(other.range.last, block.range.first);
      });
    const int64_t offset = place(block, fit);
    offsets[static_cast<std::size_t>(number)] = offset;
    height = std::max(height, offset + block.size);
    const auto after = std::upper_bound(taken_.begin(), taken_.end(), offset,
                                        [](int64_t at, const Taken& other) { return at < other.offset; });
    taken_.insert(after, {offset, offset + block.size, block.range});
  }
  return height;
}

namespace {

// The other orders cost the square of the number of blocks.
constexpr std::size_t most_blocks_for_all_orders = 1000;

void keep_better(Packing& best, int64_t height, std::vector<int64_t>& offsets) {
  if (height >= best.height) return;
  best.height = height;
  best.offsets.swap(offsets);
}

}  // namespace

Packing pack_by_size(const PackingProblem& problem, const PackBudget&) {
  Packing packing;
  packing.height =
      GreedyPacker(problem).pack(greedy_order(problem, greedy_orders.front()), Fit::First, packing.offsets);
  packing.steps = static_cast<int64_t>(problem.blocks.size());
  if (packing.height == lower_bound(problem)) packing.proof = Proof::Lowest;
  return packing;
}

Packing pack_greedily(const PackingProblem& problem, const PackBudget&) {
  Packing best;
  GreedyPacker packer(problem);
  std::vector<int64_t> offsets;
  const int64_t bound = lower_bound(problem);
  for (const GreedyOrder& by : greedy_orders) {
    if (problem.blocks.size() > most_blocks_for_all_orders && by.key != start_key) continue;
    const std::vector<int> order = greedy_order(problem, by);
    for (Fit fit : all_fits) {
      keep_better(best, packer.pack(order, fit, offsets), offsets);
      best.steps += static_cast<int64_t>(order.size());
      if (best.height == bound) best.proof = Proof::Lowest;
      if (best.proof == Proof::Lowest || best.height <= problem.enough) return best;
    }
  }
  return best;
}

}  // namespace parallax
