// How many more runs a case has, and runs for one with symbols, at sizes that are drawn.
#pragma once

#include <cstdint>

#include "core/choices.h"
#include "graph/case.h"

namespace parallax {

// Calls of a program after the first: mostly a few, now and then as many as it takes to go round a cache, or to meet
// what only a long life shows.
std::size_t draw_more_calls(Choices& choices);

// The case with so many runs, each at sizes of its own: its first run, the bound, the least, and others at which the
// graph infers. What is fed in them is drawn for floats; integers and bools, which may be places or masks, are those of
// the first run repeated. Fails where the case has no symbols or not so many sizes.
Result<Case> with_drawn_runs(const Case& test, std::size_t count, uint64_t seed);

}  // namespace parallax
