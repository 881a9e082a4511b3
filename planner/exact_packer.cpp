// The exact packer: asks the exact search for lower and lower packings until one is proved lowest or the steps are
// spent.
//
// Which packing is found soon depends on the order in which blocks are tried far more than on the depth of the search,
// so a question is asked with several orders in turn, each for few steps at first and for more in each round.
#include <algorithm>
#include <array>

#include "core/choices.h"
#include "planner/exact_search.h"
#include "planner/greedy_packer.h"
#include "planner/packers.h"

namespace parallax {
namespace {

using Keys = std::array<int64_t, 3>;

// What the orders go by, the greatest first. The first three are those of MiniMalloc.
struct Orders {
  const PackingProblem& problem;
  std::vector<int64_t> conflict;  // by block: the bytes of all that live at some step of its life

  explicit Orders(const PackingProblem& asked) : problem(asked) {
    for (const Block& block : problem.blocks) conflict.push_back(conflict_key(problem, block));
  }

  static constexpr int count = 7;
  // Solves most of MiniMalloc's problems by itself, once parts are ranked anew: it begins a round and has more of its
  // steps.
  static constexpr int strongest = 2;
  static constexpr int64_t share(int order) { return order == strongest ? 4 : 1; }

  // In two of three rounds what an order goes by is taken as more or less at random, by up to a twentieth, then by up
  // to a fifth: the time that a search takes has a long tail, and other draws fall on its short side.
  SearchOrder make(int order, int round, uint64_t seed) const {
    constexpr std::array<double, 3> spread = {0, 0.05, 0.2};
    const double most = spread[static_cast<std::size_t>(round) % spread.size()];
    const uint64_t stream = mix(seed, static_cast<uint64_t>(round * count + order));
    SearchOrder made;
    for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
      const double draw = static_cast<double>(mix(stream, i) >> 11) * 0x1p-52 - 1;  // in [-1, 1)
      made.keys.push_back(keys(order, i));
      made.scale.push_back(1 + most * draw);
    }
    return made;
  }

 private:
  Keys keys(int order, std::size_t i) const {
    const Block& block = problem.blocks[i];
    const int64_t width = length_key(problem, block);
    switch (order) {
      case 0:
        return {width, area_key(problem, block), SearchOrder::crowd};
      case 1:
        return {SearchOrder::crowd, area_key(problem, block), width};
      case 2:
        return {SearchOrder::crowd, width, area_key(problem, block)};
      case 3:
        return {block.size, width, 0};
      case 4:
        return {area_key(problem, block), 0, 0};
      case 5:
        return {conflict[i], block.size, 0};
      default:
        return {area_key(problem, {block.range, conflict[i], 1}), block.size, 0};
    }
  }
};

// The blocks that have bytes: the search takes no others.
struct Solid {
  PackingProblem problem;
  std::vector<std::size_t> numbers;  // in the problem that was asked

  explicit Solid(const PackingProblem& asked) {
    for (std::size_t i = 0; i < asked.blocks.size(); ++i) {
      if (asked.blocks[i].size == 0) continue;
      problem.blocks.push_back(asked.blocks[i]);
      numbers.push_back(i);
    }
  }
};

class Solver {
 public:
  Solver(const PackingProblem& problem, const PackBudget& budget)
      : problem_(problem), budget_(budget), solid_(problem), orders_(solid_.problem), search_(solid_.problem) {
    best_ = pack_greedily(problem);
    proved_ = lower_bound(problem);
  }

  // What lies between the bound and the best packing is asked for first at the low end, where the most is cut, then in
  // the middle of what is left; each question may take half of the steps that are left.
  Packing run() {
    int64_t low = std::max(lower_bound(problem_), problem_.enough);
    int64_t capacity = low;
    while (best_.height > low && steps_left() > 0) {
      const ExactSearch::Answer answer = ask(capacity, (steps_left() + 1) / 2);
      if (answer == ExactSearch::Answer::Found) keep();
      if (answer == ExactSearch::Answer::Impossible) proved_ = capacity + 1;
      if (answer != ExactSearch::Answer::Found) low = capacity + 1;
      capacity = low + (best_.height - 1 - low) / 2;
    }
    best_.steps += search_.steps();
    if (best_.height == proved_) {
      best_.proof = Proof::Lowest;
    } else if (best_.height > problem_.enough && proved_ > problem_.enough) {
      best_.proof = Proof::Impossible;
    }
    return std::move(best_);
  }

 private:
  int64_t steps_left() const { return budget_.steps - search_.steps(); }

  ExactSearch::Answer ask(int64_t capacity, int64_t steps) {
    const int64_t last = search_.steps() + steps;
    auto round_steps = static_cast<int64_t>(8 * solid_.numbers.size());
    for (int round = 0; search_.steps() < last; ++round) {
      if (round > 0 && round % 3 == 0) round_steps *= 2;
      for (int turn = 0; turn < Orders::count && search_.steps() < last; ++turn) {
        const int order = (Orders::strongest + turn) % Orders::count;
        const int64_t most = std::min(round_steps * Orders::share(order), last - search_.steps());
        const ExactSearch::Answer answer = search_.run(capacity, orders_.make(order, round, budget_.seed), most);
        if (answer != ExactSearch::Answer::OutOfSteps) return answer;
      }
    }
    return ExactSearch::Answer::OutOfSteps;
  }

  void keep() {
    std::vector<int64_t> offsets(problem_.blocks.size(), 0);
    for (std::size_t i = 0; i < solid_.numbers.size(); ++i) offsets[solid_.numbers[i]] = search_.offsets()[i];
    best_.height = height_of(problem_, offsets);
    best_.offsets = std::move(offsets);
  }

  const PackingProblem& problem_;
  PackBudget budget_;
  Solid solid_;
  Orders orders_;
  ExactSearch search_;
  Packing best_;
  int64_t proved_ = 0;  // no packing is lower
};

}  // namespace

Packing pack_exactly(const PackingProblem& problem, const PackBudget& budget) { return Solver(problem, budget).run(); }

}  // namespace parallax
