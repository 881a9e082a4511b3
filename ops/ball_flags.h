// Flags that the balls of functions of two operands pass on.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// Why the function of both is undecided; No where both are decided.
inline Undecided first_undecided(const Ball& a, const Ball& b) { return a.decided() ? b.undecided : a.undecided; }

// The ball, which may also be NaN or an infinity. An undecided ball and a definite NaN stay as they are.
inline Ball flagged(Ball ball, bool may_nan, bool may_inf) {
  if (!ball.decided() || is_definite_nan(ball)) return ball;
  ball.may_nan = ball.may_nan || may_nan;
  ball.may_inf = ball.may_inf || may_inf;
  return ball;
}

}  // namespace parallax
