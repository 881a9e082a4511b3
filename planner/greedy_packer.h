// Greedy packing: blocks in some order, each at once at the place that a fit chooses. What the greedy packers and the
// local search share.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "planner/packing.h"

namespace parallax {

// What an order goes by, the greatest first; ties go by the block's number.
struct GreedyOrder {
  std::string_view name;
  int64_t (*key)(const PackingProblem& problem, const Block& block);
};

int64_t size_key(const PackingProblem& problem, const Block& block);
int64_t area_key(const PackingProblem& problem, const Block& block);
int64_t length_key(const PackingProblem& problem, const Block& block);
int64_t start_key(const PackingProblem& problem, const Block& block);
int64_t conflict_key(const PackingProblem& problem, const Block& block);

inline constexpr std::array greedy_orders = {
    GreedyOrder{"size", size_key},          // bytes
    GreedyOrder{"area", area_key},          // bytes times steps
    GreedyOrder{"length", length_key},      // steps
    GreedyOrder{"start", start_key},        // the earliest first
    GreedyOrder{"conflict", conflict_key},  // bytes of all blocks that live at the same time
};

enum class Fit : uint8_t {
  First,  // the lowest gap that is large enough
  Best,   // the smallest gap that is large enough
};
inline constexpr std::array all_fits = {Fit::First, Fit::Best};

// The blocks' numbers in that order.
std::vector<int> greedy_order(const PackingProblem& problem, const GreedyOrder& order);

// Places blocks one after the other; keeps its working memory from order to order.
class GreedyPacker {
 public:
  explicit GreedyPacker(const PackingProblem& problem);

  // The height of the packing that the order gives; `offsets` is filled by block.
  int64_t pack(std::span<const int> order, Fit fit, std::vector<int64_t>& offsets);

 private:
  // A placed block.
  struct Taken {
    int64_t offset = 0;
    int64_t end = 0;
    LiveRange range;
  };
  int64_t place(const Block& block, Fit fit) const;

  const PackingProblem& problem_;
  std::vector<Taken> taken_;  // by offset
};

}  // namespace parallax
