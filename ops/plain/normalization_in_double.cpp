#include "ops/plain/normalization_in_double.h"

namespace parallax {

bool normalize_squares_plainly(const ReferenceCall& call, std::size_t length, double eps) {
  std::optional<std::vector<double>> elements = plain_elements(call.input(arg::input));
  const PlainParameter weight(call, arg::weight);
  if (!elements || length == 0 || !weight.usable()) return false;
  for (std::size_t start = 0; start < elements->size(); start += length) {
    double* x = elements->data() + start;
    double squares = 0;
    for (std::size_t k = 0; k < length; ++k) squares += x[k] * x[k];
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(length) + eps);
    for (std::size_t k = 0; k < length; ++k) x[k] *= inverse * weight.at(k, 1);
  }
  store_plain(*elements, call.output());
  return true;
}

bool normalize_batch_plainly(const ReferenceCall& call) {
  // Training writes the running statistics.
  if ((call.takes(arg::training) && call.boolean(arg::training)) || !call.has(arg::running_mean)) return false;
  std::optional<std::vector<double>> elements = plain_elements(call.input(arg::input));
  const PlainParameter weight(call, arg::weight);
  const PlainParameter bias(call, arg::bias);
  const PlainParameter mean(call, arg::running_mean);
  const PlainParameter variance(call, arg::running_var);
  const auto usable = {&weight, &bias, &mean, &variance};
  if (!elements || !std::ranges::all_of(usable, &PlainParameter::usable)) return false;
  const Dims& sizes = call.input(arg::input).layout.sizes;
  const auto channels = static_cast<std::size_t>(sizes[1]);
  if (elements->empty()) return true;
  const std::size_t plane = elements->size() / (static_cast<std::size_t>(sizes[0]) * channels);
  double* x = elements->data();
  for (std::size_t lane = 0; lane * plane < elements->size(); ++lane) {
    const std::size_t channel = lane % channels;
    const double scale = weight.at(channel, 1) / std::sqrt(variance.at(channel, 1) + call.real(arg::eps));
    const double off = mean.at(channel, 0);
    const double shift = bias.at(channel, 0);
    for (std::size_t k = 0; k < plane; ++k, ++x) *x = (*x - off) * scale + shift;
  }
  store_plain(*elements, call.output());
  return true;
}

}  // namespace parallax
