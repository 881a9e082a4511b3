// The default packer: little work where little is needed.
//
// Greedy orders settle nearly every graph of a compiler's test. What they leave above the lower bound goes to the local
// search, and then to the exact search, which is asked for packings half as far above the bound as the best one so far:
// a tight question is often answered sooner than a loose one, since more of the tree is cut. Both take memory and time
// that grow with the square of the number of blocks, so that graphs of thousands of nodes are left to the greedy
// orders.
#include <algorithm>

#include "planner/packers.h"

namespace parallax {
namespace {

constexpr std::size_t most_blocks_for_search = 1000;
constexpr int questions = 4;  // after as many answers the packing is a sixteenth as far above the bound

bool is_done(const PackingProblem& problem, const Packing& packing) {
  return packing.proof == Proof::Lowest || packing.height <= problem.enough;
}

void keep_better(Packing& best, Packing&& other) {
  const int64_t steps = best.steps + other.steps;
  const Proof proof = other.proof;
  if (other.height <= best.height) best = std::move(other);
  best.steps = steps;
  best.proof = std::max(best.proof, proof);
}

}  // namespace

Packing pack_by_default(const PackingProblem& problem, const PackBudget& budget) {
  Packing best = pack_greedily(problem);
  if (is_done(problem, best) || problem.blocks.size() > most_blocks_for_search) return best;
  keep_better(best, pack_by_local_search(problem, {budget.steps / 4, budget.seed}));
  const int64_t bound = lower_bound(problem);
  for (int question = 0; question < questions && !is_done(problem, best) && best.height > bound; ++question) {
    PackingProblem lower = problem;
    lower.enough = std::max(problem.enough, bound + (best.height - bound) / 2);
    Packing found = pack_exactly(lower, {budget.steps / 16, budget.seed + static_cast<uint64_t>(question)});
    if (found.proof == Proof::Impossible) found.proof = Proof::None;
    keep_better(best, std::move(found));
  }
  return best;
}

}  // namespace parallax
