// What normalisations and variances share: means and squared deviations over some dims, the dims kept.
#pragma once

#include "compiler/composer.h"

namespace parallax {

// The dims of a rank from `first` on.
IntList dims_from(int first, int rank);
// How many elements of those sizes go into one over the dims.
int64_t lane_length(const Dims& sizes, const IntList& dims);

struct Moments {
  Term mean;
  Term deviation;  // of each element from the mean
  Term squares;    // the sum of the deviations' squares
  int64_t count = 0;
};
// In two passes: the deviations are taken from the finished mean.
Moments moments_of(Term x, const IntList& dims);

// 1 / sqrt(variance + eps)
Term inverse_deviation(Term variance, double eps);
// x times a weight and plus a bias, parameters of the call that may be None (-1: not there), seen as `sizes`.
Term scaled_and_shifted(Term x, int weight, int bias, const Dims& sizes);

}  // namespace parallax
