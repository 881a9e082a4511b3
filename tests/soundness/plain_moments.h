// The mean and the variance of a lane, by the algorithms that implementations use.
#pragma once

#include "tests/soundness/perturbed.h"

namespace parallax {

struct PlainMoments {
  double count = 0;
  double mean = 0;
  double squares = 0;  // the sum of the squared deviations
};

// In two passes, by Welford's recurrence, or merged from halves (Chan), as the implementation's order has it.
PlainMoments plain_moments(const Perturbed& p, std::span<const double> lane);

// A sum divided by a number of terms, or multiplied by its reciprocal.
double plain_mean(const Perturbed& p, double sum, double count);

}  // namespace parallax
