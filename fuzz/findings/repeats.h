// Repeats: how often a divergence shows. What hangs on time, on threads or on memory that nobody wrote fires in some
// runs only, and is found, reduced and reported all the same.
#pragma once

#include <functional>

#include "backends/examine.h"
#include "corpus/finding.h"

namespace parallax {

// The runs that a rate is measured in where some of them are wrong.
inline constexpr int most_repeats = 20;
// The runs that it takes to miss what fires in one of a hundred once in a hundred times: log(0.01) / log(0.99).
inline constexpr int rarest_repeats = 459;

// Runs the case until it diverges, at most that many times; the last examination.
Examination examine_until_wrong(Target& target, const Case& test, int runs);

// Asks `shows` that many times.
Repeats count_repeats(int runs, const std::function<bool()>& shows);

// Asks `shows` a few times; where it says no once, as often as it takes to tell a rate; and where it never says yes,
// until it has a few times, at most rarest_repeats times and for that many seconds.
Repeats measure_repeats(const std::function<bool()>& shows, double seconds = 30);

// How often to ask, so that what fires at that rate is missed once in a hundred times; at most rarest_repeats.
int tries_for(const Repeats& repeats);

}  // namespace parallax
