#include "ops/plain/elements_in_double.h"

#include <cmath>

namespace parallax {

std::optional<std::vector<double>> plain_elements(const BallView& view, const Layout& layout) {
  if (!view.floating()) return std::nullopt;
  std::vector<double> elements(static_cast<std::size_t>(layout.numel()));
  double* to = elements.data();
  int others = 0;  // counted without a branch: there is an element of this loop for each of every operand
  for_each_element(layout, [&](int64_t element) {
    const Ball& ball = view.ball(element);
    others |= static_cast<int>(ball.radius != 0) | static_cast<int>(ball.may_nan) |
              static_cast<int>(bool(ball.may_inf)) | static_cast<int>(!ball.decided()) |
              static_cast<int>(!std::isfinite(ball.mid));
    *to++ = ball.mid;
  });
  if (others != 0) return std::nullopt;
  return elements;
}

void store_plain(std::span<const double> elements, const BallView& output) {
  const double* from = elements.data();
  for_each_element(output.layout, [&](int64_t element) { output.ball(element) = Ball::exact(*from++); });
}

}  // namespace parallax
