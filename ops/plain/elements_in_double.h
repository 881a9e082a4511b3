// Plain kernels: what an op makes of exact operands, in double and without a bound. The members of an ensemble run on
// them (oracle/legal_run.h); where an op has none, or an operand is no exact number, the reference kernel runs.
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "ops/ball.h"

namespace parallax {

// Whether it is one finite number, known exactly. Without a branch: it is asked of each element of every operand.
inline bool is_number(const Ball& ball) {
  return static_cast<bool>(static_cast<int>(ball.radius == 0) & static_cast<int>(!ball.may_nan) &
                           static_cast<int>(!ball.may_inf) & static_cast<int>(ball.decided()) &
                           static_cast<int>(std::isfinite(ball.mid)));
}

// A view's elements in row-major order, under its own layout or another one over the same storage. Nothing where it is
// not of floats, or one of them is not an exact finite number.
std::optional<std::vector<double>> plain_elements(const BallView& view, const Layout& layout);
inline std::optional<std::vector<double>> plain_elements(const BallView& view) {
  return plain_elements(view, view.layout);
}

// Puts a result's elements, in row-major order, where the view has them.
void store_plain(std::span<const double> elements, const BallView& output);

}  // namespace parallax
