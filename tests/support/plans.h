// Plans for tests: a graph planned as the compiler plans it, for kernels that overwrite element by element.
#pragma once

#include <gtest/gtest.h>

#include "planner/plan_memory.h"

namespace parallax::testing {

inline MemoryOptions memory_options(int64_t alignment = 8) {
  MemoryOptions options;
  options.rule(Arena::Backend).alignment = alignment;
  return options;
}

// Kernels that may overwrite: those of ops that compute element by element.
inline bool pointwise_kernels(const Op& op, int) {
  return op.group == OpGroup::Pointwise || op.group == OpGroup::Comparison;
}

inline Plan plan_of(const Graph& graph, const Lifetimes& lifetimes, std::vector<Reuse> reuses = {},
                    const MemoryOptions& options = memory_options()) {
  Result<Plan> plan = plan_memory(graph, lifetimes, std::move(reuses), options);
  EXPECT_TRUE(plan) << plan.error().text();
  return plan.value();
}

inline Plan sound_plan(const Graph& graph, InPlaceKernels kernels = pointwise_kernels) {
  const Lifetimes lifetimes = alias_set_lifetimes(graph);
  return plan_of(graph, lifetimes, choose_in_place(graph, lifetimes, kernels));
}

}  // namespace parallax::testing
