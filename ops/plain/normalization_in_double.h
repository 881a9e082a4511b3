// Normalizations in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ops/op.h"
#include "ops/plain/elements_in_double.h"

namespace parallax {

// The results after the normalized input, of the ops that give the moments that they saved as well.
inline constexpr int mean_result = 1;
inline constexpr int inverse_result = 2;

// A weight or a bias, where there is one.
class PlainParameter {
 public:
  PlainParameter(const ReferenceCall& call, ParameterRef parameter) {
    if (!call.has(parameter)) return;
    elements_ = plain_elements(call.input(parameter));
    usable_ = elements_.has_value();
  }
  // Whether every element of it is an exact number, or it is not there.
  bool usable() const { return usable_; }
  double at(std::size_t i, double otherwise) const { return elements_ ? (*elements_)[i] : otherwise; }

 private:
  std::optional<std::vector<double>> elements_;
  bool usable_ = true;
};

// The plain kernel of layer and group normalization: of each stretch of `length` elements, the mean is taken off and
// the rest divided by the deviation. `parameter(lane, k)` is the place in weight and bias of element k of a stretch.
template <class Parameter>
bool normalize_plainly(const ReferenceCall& call, std::size_t length, double eps, Parameter&& parameter) {
  std::optional<std::vector<double>> elements = plain_elements(call.input(arg::input));
  const PlainParameter weight(call, arg::weight);
  const PlainParameter bias(call, arg::bias);
  if (!elements || length == 0 || !weight.usable() || !bias.usable()) return false;
  std::vector<double> means;
  std::vector<double> inverses;
  for (std::size_t lane = 0; lane * length < elements->size(); ++lane) {
    double* x = elements->data() + lane * length;
    double mean = 0;
    for (std::size_t k = 0; k < length; ++k) mean += x[k];
    mean /= static_cast<double>(length);
    double variance = 0;
    for (std::size_t k = 0; k < length; ++k) variance += (x[k] - mean) * (x[k] - mean);
    const double inverse = 1 / std::sqrt(variance / static_cast<double>(length) + eps);
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t place = parameter(lane, k);
      x[k] = (x[k] - mean) * inverse * weight.at(place, 1) + bias.at(place, 0);
    }
    means.push_back(mean);
    inverses.push_back(inverse);
  }
  store_plain(*elements, call.output());
  if (call.outputs().size() > 1) {
    store_plain(means, call.output(mean_result));
    store_plain(inverses, call.output(inverse_result));
  }
  return true;
}

// That of rms_norm.
bool normalize_squares_plainly(const ReferenceCall& call, std::size_t length, double eps);

// That of batch normalization by running statistics.
bool normalize_batch_plainly(const ReferenceCall& call);

}  // namespace parallax
