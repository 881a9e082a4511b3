// View chains: two views after each other as one.
#pragma once

#include <array>

#include "compiler/matcher.h"

namespace parallax {

// How the views of a chain are put together. A planted fault is a set of other rules.
struct ViewRules {
  // The order of dims of `outer` after `inner`.
  IntList (*compose)(const IntList& inner, const IntList& outer) = nullptr;
  // The first element and the step of a slice of a slice.
  std::pair<int64_t, int64_t> (*slice)(std::pair<int64_t, int64_t> inner, std::pair<int64_t, int64_t> outer) = nullptr;
  // Also where the result's strides are others than those of the chain.
  bool any_strides = false;
};
extern const ViewRules view_rules;

// The views that put dims into another order.
inline constexpr std::array<std::string_view, 4> permuting_ops = {"aten.permute.default", "aten.transpose.int",
                                                                  "aten.t.default", "aten.movedim.int"};

// The order of dims that a call gives its operand, counted from the front; nothing where it does no such thing.
std::optional<IntList> permutation_of(const Graph& graph, const Op& op, std::span<const Argument> arguments);

// A view of a view of x as one view of x, or as an alias of x where the two cancel. Nothing where there is no such
// view.
std::optional<Replacement> one_view(Matcher& matcher, const Op& op, std::span<const Argument> arguments,
                                    const ViewRules& rules);

}  // namespace parallax
