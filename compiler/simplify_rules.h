// Simplify rules: which calls are simpler calls in disguise.
//
// Only what holds for every number of the dtype, NaN, infinities and both zeros included: x * 1 is x and x * 0 is not
// 0. A call that changes nothing becomes a copy, which elide_copies makes an alias of where nobody can tell.
#pragma once

#include "compiler/view_chains.h"

namespace parallax {

// What the rules take for true. A planted fault takes more for true than is.
struct Algebra {
  // Whether a cast from one dtype through another keeps every number.
  bool (*survives)(DType from, DType through) = nullptr;
  // x - x and x * 0 are 0, and log(exp(x)) is x: true of integers.
  bool (*is_a_ring)(DType dtype) = nullptr;
  ViewRules views;
};
extern const Algebra exact_algebra;

// Whether `through` holds every number of `from`.
bool holds_all(DType through, DType from);

// The value that a call merely copies whatever its elements are (x * 1), or nothing.
std::optional<ValueId> copied_operand(Matcher& matcher, const Op& op, std::span<const Argument> arguments);

// The simpler call, or nothing. It may be simpler still.
std::optional<Replacement> simpler(Matcher& matcher, const Op& op, std::span<const Argument> arguments,
                                   const Algebra& algebra);

// The graph with every call as simple as it gets (passes/simplify.cpp).
Result<Graph> simplify_with(const Graph& graph, const Algebra& algebra);

}  // namespace parallax
