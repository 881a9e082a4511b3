#include "ops/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/limits.h"
#include "ops/ball_math.h"

namespace parallax {
namespace {

// A number, or a NaN (first = true), which ranks after all numbers.
template <class Number>
using Key = std::pair<bool, Number>;

Key<double> low_key(const Ball& ball) {
  if (is_definite_nan(ball)) return {true, 0};
  return {false, lowest(ball)};
}
Key<double> high_key(const Ball& ball) {
  if (can_be_nan(ball)) return {true, 0};
  return {false, highest(ball)};
}
Key<int64_t> low_key(const IntegerBall& x) { return {false, x.value}; }
Key<int64_t> high_key(const IntegerBall& x) { return {false, x.value}; }

template <class Element>
std::vector<RankedPlace> ranked(std::span<const Element> line, Ties ties) {
  using KeyOf = decltype(low_key(line[0]));
  const std::size_t count = line.size();
  std::vector<KeyOf> lows;
  std::vector<KeyOf> highs;
  for (const Element& element : line) {
    lows.push_back(low_key(element));
    highs.push_back(high_key(element));
  }
  // Ties go by position, forwards or backwards; where they are open, the comparisons below do not look at it.
  const auto before = [&](const KeyOf& a, int64_t i, const KeyOf& b, int64_t j) {
    if (a != b) return a < b;
    return ties == Ties::Backward ? i > j : i < j;
  };
  std::vector<int64_t> by_low(count);
  std::iota(by_low.begin(), by_low.end(), 0);
  std::vector<int64_t> by_high = by_low;
  const auto at = [](const std::vector<KeyOf>& keys, int64_t i) { return keys[static_cast<std::size_t>(i)]; };
  std::sort(by_low.begin(), by_low.end(), [&](int64_t i, int64_t j) { return before(at(lows, i), i, at(lows, j), j); });
  std::sort(by_high.begin(), by_high.end(),
            [&](int64_t i, int64_t j) { return before(at(highs, i), i, at(highs, j), j); });
  // Whether element i stands in front of j whatever their values are.
  const auto surely_before = [&](int64_t i, int64_t j) {
    if (ties == Ties::Open) return at(highs, i) < at(lows, j);
    return before(at(highs, i), i, at(lows, j), j);
  };
  std::vector<RankedPlace> places(count);
  // Of the elements in front, the one that reaches furthest decides for all.
  int64_t furthest = -1;
  for (std::size_t k = 0; k < count; ++k) {
    const int64_t element = by_low[k];
    const bool after_all = furthest < 0 || surely_before(furthest, element);
    const bool before_all = k + 1 == count || surely_before(element, by_low[k + 1]);
    places[k] = {after_all && before_all ? element : -1, element, by_high[k]};
    if (furthest < 0 || before(at(highs, furthest), furthest, at(highs, element), element)) furthest = element;
  }
  return places;
}

// The finite ends of the line, for places that an infinity may bound. A ball at the end of double's range may reach
// beyond it, where no number is.
double lowest_finite(std::span<const Ball> line) {
  double lowest = infinity;
  for (const Ball& ball : line) {
    if (std::isfinite(ball.mid)) lowest = std::min(lowest, std::max(ball.low(), -info(DType::F64).max_finite));
  }
  return lowest;
}
double highest_finite(std::span<const Ball> line) {
  double highest = -infinity;
  for (const Ball& ball : line) {
    if (std::isfinite(ball.mid)) highest = std::max(highest, std::min(ball.high(), info(DType::F64).max_finite));
  }
  return highest;
}

}  // namespace

std::vector<RankedPlace> rank(std::span<const Ball> line, Ties ties) { return ranked(line, ties); }
std::vector<RankedPlace> rank(std::span<const IntegerBall> line, Ties ties) { return ranked(line, ties); }

Ball value_at(std::span<const Ball> line, const RankedPlace& place) {
  if (place.position >= 0) return line[static_cast<std::size_t>(place.position)];
  const Key<double> low = low_key(line[static_cast<std::size_t>(place.low)]);
  const Key<double> high = high_key(line[static_cast<std::size_t>(place.high)]);
  if (low.first) return Ball::exact(std::numeric_limits<double>::quiet_NaN());
  // Of a range between two infinities, what is finite comes from the line's finite elements.
  const double least = low.second == -infinity ? lowest_finite(line) : low.second;
  const double most = high.first || high.second == infinity ? highest_finite(line) : high.second;
  if (!high.first && low.second == high.second) return Ball::exact(low.second);
  Ball value;
  if (std::isfinite(least) && std::isfinite(most) && least <= most) {
    value = ball_of_interval(least, most);
    value.may_inf = low.second == -infinity || high.first || high.second == infinity;
  } else {
    if (low.second == -infinity) return Ball::unknown(Undecided::InexactCompare);
    value = Ball::exact(infinity);
  }
  value.may_nan = high.first;
  return value;
}

IntegerBall value_at(std::span<const IntegerBall> line, const RankedPlace& place) {
  return line[static_cast<std::size_t>(place.low)];
}

}  // namespace parallax
