#include "ops/plain/softmax_in_double.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/plain/elements_in_double.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Runs `compute` over each lane along the op's dim, which it changes in place.
template <class Compute>
bool for_each_lane(const ReferenceCall& call, Compute&& compute) {
  const BallView& self = call.input(arg::self);
  if (self.dtype != call.output().dtype || self.layout.numel() == 0) return false;
  std::optional<std::vector<double>> elements = plain_elements(self);
  if (!elements) return false;
  const int rank = self.layout.rank();
  const int dim = *wrap_dim(call.integer(arg::dim), rank);
  std::size_t inner = 1;
  for (int i = dim + 1; i < rank; ++i) inner *= static_cast<std::size_t>(self.layout.sizes[i]);
  const std::size_t length = rank == 0 ? 1 : static_cast<std::size_t>(self.layout.sizes[dim]);
  std::vector<double> lane(length);
  for (std::size_t block = 0; block < elements->size(); block += length * inner) {
    for (std::size_t i = 0; i < inner; ++i) {
      double* first = elements->data() + block + i;
      for (std::size_t k = 0; k < length; ++k) lane[k] = first[k * inner];
      compute(lane);
      for (std::size_t k = 0; k < length; ++k) first[k * inner] = lane[k];
    }
  }
  store_plain(*elements, call.output());
  return true;
}

}  // namespace

double normalize_exponentials(std::span<double> lane) {
  const double largest = std::ranges::max(lane);
  double sum = 0;
  for (double& x : lane) {
    x = std::exp(x - largest);
    sum += x;
  }
  for (double& x : lane) x /= sum;
  return largest + std::log(sum);
}

bool softmax_plainly(const ReferenceCall& call) {
  return for_each_lane(call, [](std::vector<double>& lane) { normalize_exponentials(lane); });
}

bool log_softmax_plainly(const ReferenceCall& call) {
  return for_each_lane(call, [](std::vector<double>& lane) {
    std::vector<double> probabilities = lane;
    const double log_sum = normalize_exponentials(probabilities);
    for (double& x : lane) x -= log_sum;
  });
}

}  // namespace parallax
