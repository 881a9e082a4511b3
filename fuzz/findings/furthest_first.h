// Furthest first: the order of findings in which each is as unlike all before it as can be (Chen et al., "Taming
// compiler fuzzers", PLDI 2013). Whoever stops reading after a few has seen the most of what there is.
#pragma once

#include <span>
#include <vector>

#include "corpus/finding.h"

namespace parallax {

// How unlike two findings are: one each for another verdict, another target, another stage or part to blame, for ops
// that they do not share and for ways of sharing memory that they do not share, the last two as a share of all.
double distance(const Finding& a, const Finding& b);

// Places in `findings`, each once: the smallest case first, then always the one whose nearest before it is the
// furthest; the earlier one where two are as far.
std::vector<std::size_t> furthest_first(std::span<const Finding* const> findings);

}  // namespace parallax
