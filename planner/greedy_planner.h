// The greedy planner: largest storages first, each at the lowest offset that is free for the whole of its life.
#pragma once

#include "planner/lifetimes.h"

namespace parallax {

// `alignment` (bytes, at least 1) is what every slot's offset is a multiple of.
using Planner = Plan (*)(const Graph& graph, const Lifetimes& lifetimes, int64_t alignment);

Plan plan_greedily(const Graph& graph, const Lifetimes& lifetimes, int64_t alignment);

}  // namespace parallax
