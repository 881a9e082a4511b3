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
// x times the call's weight and plus its bias, where it has them, seen as `sizes`.
Term scaled_and_shifted(Term x, const Dims& sizes);

}  // namespace parallax
