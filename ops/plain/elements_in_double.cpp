#include "ops/plain/elements_in_double.h"

namespace parallax {

std::optional<std::vector<double>> plain_elements(const BallView& view, const Layout& layout) {
  if (!view.floating()) return std::nullopt;
  std::vector<double> elements(static_cast<std::size_t>(layout.numel()));
  double* to = elements.data();
  bool plain = true;
  for_each_element(layout, [&](int64_t element) {
    const Ball& ball = view.ball(element);
    plain &= is_number(ball);
    *to++ = ball.mid;
  });
  if (!plain) return std::nullopt;
  return elements;
}

void store_plain(std::span<const double> elements, const BallView& output) {
  const double* from = elements.data();
  for_each_element(output.layout, [&](int64_t element) { output.ball(element) = Ball::exact(*from++); });
}

}  // namespace parallax
