// Repeats: how often a divergence shows. What hangs on time, on threads or on memory that nobody wrote fires in some
// runs only, and is found, reduced and reported all the same.
#pragma once

#include <functional>

#include "backends/examine.h"
#include "corpus/finding.h"

namespace parallax {

// The most runs that a rate is measured in.
inline constexpr int most_repeats = 20;

// Runs the case until it diverges, at most that many times; the last examination.
Examination examine_until_wrong(Target& target, const Case& test, int runs);

// Asks `shows` that many times.
Repeats count_repeats(int runs, const std::function<bool()>& shows);

// Asks `shows` a few times, and where it says no once, as often as it takes to tell a rate.
Repeats measure_repeats(const std::function<bool()>& shows);

// How often to ask, so that what fires at that rate is missed once in a hundred times; at most most_repeats.
int tries_for(const Repeats& repeats);

}  // namespace parallax
