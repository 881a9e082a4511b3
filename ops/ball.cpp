#include "ops/ball.h"

#include <array>
#include <cmath>
#include <numeric>

namespace parallax {

std::string_view name(Undecided reason) {
  constexpr std::array<std::string_view, undecided_reasons> names = {
      "decided",         "inexact_compare", "inexact_to_integer", "cast_out_of_range", "signed_zero",
      "duplicate_index", "unbounded",       "uninitialized",      "shift_out_of_range"};
  return names[static_cast<std::size_t>(reason)];
}

Ball interval_as_ball(const IntegerBall& integer) {
  const auto low = static_cast<double>(integer.low);
  const auto high = static_cast<double>(integer.high);
  // 2^-51 relative covers the roundings of ends over 2^53, and of what is made of them.
  const double slack = std::max(std::fabs(low), std::fabs(high)) > 0x1p52 ? 0x1p-51 : 0;
  const double mid = low + (high - low) / 2;
  const double radius = (high - low) / 2 + slack * std::max(std::fabs(low), std::fabs(high));
  return {mid, radius, false, false, Undecided::No, -1};
}

BallStorage::BallStorage(DType element, int64_t count) : dtype(element) {
  if (is_floating(element)) {
    balls.resize(static_cast<std::size_t>(count));
  } else {
    integers.resize(static_cast<std::size_t>(count));
  }
}

Ball BallView::as_ball(int64_t element) const {
  if (floating()) return ball(element);
  const IntegerBall& exact = integer(element);
  if (exact.is_interval()) return interval_as_ball(exact);
  if (exact.undecided != Undecided::No) return Ball::unknown(exact.undecided);
  const auto mid = static_cast<double>(exact.value);
  // 2^-53 relative covers the one rounding of an integer over 2^53.
  const double radius = std::fabs(mid) > 0x1p53 ? std::fabs(mid) * 0x1p-53 : 0;
  return {mid, radius, false, false, Undecided::No};
}

std::vector<int64_t> elements_of(const Layout& layout) {
  std::vector<int64_t> elements(static_cast<std::size_t>(layout.numel()));
  if (is_contiguous(layout)) {
    std::iota(elements.begin(), elements.end(), layout.offset);
  } else {
    std::size_t i = 0;
    for_each_element(layout, [&](int64_t element) { elements[i++] = element; });
  }
  return elements;
}

ViewElements::ViewElements(const Layout& layout)
    : count_(static_cast<std::size_t>(layout.numel())), first_(layout.offset) {
  if (!is_contiguous(layout)) list_ = elements_of(layout);
}

}  // namespace parallax
