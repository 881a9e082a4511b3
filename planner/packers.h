// The packers, in one list: ways of solving a packing problem. A new one is its file and one line here.
#pragma once

#include <array>
#include <string_view>

#include "planner/packing.h"

namespace parallax {

using PackFn = Packing (*)(const PackingProblem& problem, const PackBudget& budget);

struct Packer {
  std::string_view name;
  std::string_view summary;
  PackFn pack;
};

// The best of the greedy orders, each with each fit (greedy_packer.cpp). Takes no notice of the budget.
Packing pack_greedily(const PackingProblem& problem, const PackBudget& budget = {});
// Largest block first, each at the lowest offset that is free: what most shipped planners do (greedy_packer.cpp).
Packing pack_by_size(const PackingProblem& problem, const PackBudget& budget = {});
// Moves of single blocks in the order in which the best greedy one placed them (local_search_packer.cpp).
Packing pack_by_local_search(const PackingProblem& problem, const PackBudget& budget);
// Branch and bound over left-justified packings, to a proof where the budget allows (exact_packer.cpp).
Packing pack_exactly(const PackingProblem& problem, const PackBudget& budget);
// The greedy orders; then, only where they are not provably best, local search and short exact searches below what it
// found (default_packer.cpp).
Packing pack_by_default(const PackingProblem& problem, const PackBudget& budget);

inline constexpr std::array all_packers = {
    Packer{"size", "largest block first, at the lowest free offset", pack_by_size},
    Packer{"greedy", "the best of the greedy orders, each with each fit", pack_greedily},
    Packer{"local", "local search over the best greedy order", pack_by_local_search},
    Packer{"default", "greedy, local search, then short exact searches", pack_by_default},
    Packer{"exact", "branch and bound", pack_exactly},
};

// The packer of that name, or null.
constexpr const Packer* find_packer(std::string_view name) {
  for (const Packer& packer : all_packers) {
    if (packer.name == name) return &packer;
  }
  return nullptr;
}

}  // namespace parallax
