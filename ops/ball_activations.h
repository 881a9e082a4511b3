// Activation functions of one ball. The errors come from the formulas that implementations compute, never from units of
// the result: near their zeros and in their tails these functions cancel.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// x times the normal distribution's function, by erf.
Ball ball_gelu(const BallMath& math, const Ball& x);
// Its approximation by tanh.
Ball ball_gelu_tanh(const BallMath& math, const Ball& x);
// x sigmoid(x).
Ball ball_silu(const BallMath& math, const Ball& x);
// x tanh(log(1 + exp(x))).
Ball ball_mish(const BallMath& math, const Ball& x);
// log(sigmoid(x)).
Ball ball_log_sigmoid(const BallMath& math, const Ball& x);
// x up from 0, coefficient (exp(scale x) - 1) below; x times `above` above.
Ball ball_elu(const BallMath& math, const Ball& x, const Ball& coefficient, const Ball& scale, const Ball& above);
Ball ball_leaky_relu(const BallMath& math, const Ball& x, const Ball& slope);
// log(1 + exp(beta x)) / beta; x where beta x is over the threshold.
Ball ball_softplus(const BallMath& math, const Ball& x, const Ball& beta, const Ball& threshold);
// min(max(x + 3, 0), 6) / 6, and x times that.
Ball ball_hardsigmoid(const BallMath& math, const Ball& x);
Ball ball_hardswish(const BallMath& math, const Ball& x);
// 0 between -lambda and lambda; outside x, or x drawn towards 0 by lambda.
Ball ball_hardshrink(const BallMath& math, const Ball& x, const Ball& lambda);
Ball ball_softshrink(const BallMath& math, const Ball& x, const Ball& lambda);
// x where it is over the threshold, else the value.
Ball ball_threshold(const Ball& x, const Ball& threshold, const Ball& value);

}  // namespace parallax
