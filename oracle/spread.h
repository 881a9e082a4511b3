// Spread: how far apart the legal implementations of an ensemble came out in one element.
#pragma once

#include <limits>

namespace parallax {

struct Spread {
  double value = 0;  // of the program in double; of an integer too
  // The largest distance of a member from the value. Infinite where the members disagree in kind: a number here and NaN
  // there, two infinities, two integers, or an element that is undecided in one of them.
  double half = std::numeric_limits<double>::infinity();
  int members = 0;
};

// From how many half-spreads on an element is called wrong. Eager came within 5.4 of 16 runs on whole networks.
inline constexpr double accused_half_spreads = 64;

}  // namespace parallax
