#include "compiler/decompositions/moments.h"

namespace parallax {

IntList dims_from(int first, int rank) {
  IntList dims;
  for (int dim = first; dim < rank; ++dim) dims.push_back(dim);
  return dims;
}

int64_t lane_length(const Dims& sizes, const IntList& dims) {
  int64_t length = 1;
  for (int64_t dim : dims) length *= sizes[static_cast<int>(dim < 0 ? dim + sizes.size() : dim)];
  return length;
}

Moments moments_of(Term x, const IntList& dims) {
  const int64_t count = lane_length(x.composer->sizes(x), dims);
  // A number has no dims to name.
  const auto sum = [&](Term term) { return dims.empty() ? term : total(term, dims); };
  const Term mean = sum(x) / static_cast<double>(count);
  const Term deviation = x - mean;
  return {mean, deviation, sum(deviation * deviation), count};
}

Term inverse_deviation(Term variance, double eps) {
  Composer& c = *variance.composer;
  return c.number(1, c.computed_in()) / apply("sqrt", variance + eps);
}

Term scaled_and_shifted(Term x, const Dims& sizes) {
  Composer& c = *x.composer;
  const auto parameter = [&](arg name) { return viewed(c.cast(c.raw(name), c.computed_in()), sizes); };
  if (c.has(arg::weight)) x = x * parameter(arg::weight);
  if (c.has(arg::bias)) x = x + parameter(arg::bias);
  return x;
}

}  // namespace parallax
