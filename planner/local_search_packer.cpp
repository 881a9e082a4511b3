// Local search: the best greedy order, improved by moving one block at a time.
//
// A move takes a block that reaches the top, or one that lives while such a one does, to an earlier place in the order.
// A move that makes the packing no higher is kept, so that the search walks over plateaus; what is returned is the best
// packing seen.
#include <algorithm>

#include "core/choices.h"
#include "planner/greedy_packer.h"
#include "planner/packers.h"

namespace parallax {
namespace {

// The greedy order whose first-fit packing is lowest.
std::vector<int> best_order(const PackingProblem& problem, GreedyPacker& packer, Packing& best) {
  std::vector<int> chosen;
  std::vector<int64_t> offsets;
  for (const GreedyOrder& by : greedy_orders) {
    std::vector<int> order = greedy_order(problem, by);
    const int64_t height = packer.pack(order, Fit::First, offsets);
    best.steps += static_cast<int64_t>(order.size());
    if (height >= best.height) continue;
    best.height = height;
    best.offsets.swap(offsets);
    chosen = std::move(order);
  }
  return chosen;
}

class Moves {
 public:
  Moves(const PackingProblem& problem, uint64_t seed) : problem_(problem), seed_(seed) {}

  // A position of the order whose block touches the top, or lives at the same time as one that does.
  std::size_t position(const std::vector<int>& order, const std::vector<int64_t>& offsets, int64_t height) {
    peaks_.clear();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (problem_.blocks[i].size > 0 && offsets[i] + problem_.blocks[i].size == height) peaks_.push_back(i);
    }
    const Block& peak = problem_.blocks[peaks_[below(peaks_.size())]];
    positions_.clear();
    for (std::size_t p = 1; p < order.size(); ++p) {
      if (problem_.blocks[static_cast<std::size_t>(order[p])].range.overlaps(peak.range)) positions_.push_back(p);
    }
    return positions_.empty() ? 0 : positions_[below(positions_.size())];
  }

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(mix(seed_, drawn_++) % n); }

 private:
  const PackingProblem& problem_;
  uint64_t seed_;
  uint64_t drawn_ = 0;
  std::vector<std::size_t> peaks_, positions_;
};

}  // namespace

Packing pack_by_local_search(const PackingProblem& problem, const PackBudget& budget) {
  Packing best;
  GreedyPacker packer(problem);
  std::vector<int> order = best_order(problem, packer, best);
  const int64_t bound = std::max(lower_bound(problem), problem.enough);
  Moves moves(problem, budget.seed);
  std::vector<int64_t> offsets = best.offsets;
  std::vector<int64_t> tried;
  int64_t height = best.height;
  while (best.steps < budget.steps && best.height > bound) {
    const std::size_t from = moves.position(order, offsets, height);
    if (from == 0) break;
    const std::size_t to = moves.below(from);
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(to);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(from) + 1;
    std::rotate(begin, end - 1, end);
    const int64_t moved = packer.pack(order, Fit::First, tried);
    best.steps += static_cast<int64_t>(order.size());
    if (moved > height) {
      std::rotate(begin, begin + 1, end);
      continue;
    }
    height = moved;
    offsets.swap(tried);
    if (height < best.height) {
      best.height = height;
      best.offsets = offsets;
    }
  }
  if (best.height == lower_bound(problem)) best.proof = Proof::Lowest;
  return best;
}

}  // namespace parallax
