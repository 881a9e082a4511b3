// Ranking: the order of a line of elements that are known up to a radius.
//
// NaN is larger than everything, as eager sorts. The k-th smallest value lies between the k-th smallest of the lows
// and the k-th smallest of the highs; which element it is, is known only where the intervals are apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/ball.h"

namespace parallax {

// One place of the ascending order.
struct RankedPlace {
  // The position in the line of the element that stands there, or -1 where it is not known.
  int64_t position = -1;
  // Positions of elements whose low end, and whose high end, bounds what stands there.
  int64_t low = 0;
  int64_t high = 0;
};

// How equal elements stand: in no defined order, in that of the line, or in the reverse of it.
enum class Ties { Open, Forward, Backward };

// The ascending order of a line whose elements are all decided.
std::vector<RankedPlace> rank(std::span<const Ball> line, Ties ties);
std::vector<RankedPlace> rank(std::span<const IntegerBall> line, Ties ties);

// The value that stands at a place of the line.
Ball value_at(std::span<const Ball> line, const RankedPlace& place);
IntegerBall value_at(std::span<const IntegerBall> line, const RankedPlace& place);

}  // namespace parallax
