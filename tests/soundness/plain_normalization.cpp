// layer_norm, group_norm, rms_norm and batch_norm.
#include <limits>

#include "tests/soundness/plain_call.h"
#include "tests/soundness/plain_moments.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

double inverse_root(const Perturbed& p, double x) {
  const Arithmetic& a = p.accumulator();
  if (p.other_form()) return a.div(1, a.sqrt(x));
  return a.fn([](auto y) { return 1 / std::sqrt(y); }, x);
}

// An element less the mean, times the inverse deviation, the weight and the bias on it; or as one scale and one shift.
double normalized(const Perturbed& p, double x, double mean, double inverse, double weight, double bias) {
  const Arithmetic& a = p.accumulator();
  if (!p.other_form()) return a.fma(a.mul(a.sub(x, mean), inverse), weight, bias);
  const double scale = a.mul(inverse, weight);
  return a.fma(x, scale, a.sub(bias, a.mul(mean, scale)));
}

// An element of a tensor that may be None.
double parameter(const PlainCall& call, arg name, std::size_t place, double otherwise) {
  return call.has(name) ? call.elements(name)[place] : otherwise;
}

// Normalizes a lane in place and saves its moments as results 1 and 2 of the ops that have them.
template <class Place>
void normalize(const Perturbed& p, const PlainCall& call, Results& results, const std::vector<std::size_t>& places,
               std::size_t number, Place place_of) {
  const PlainTensor lane = lane_of(call.elements(arg::input), places);
  const PlainMoments moments = plain_moments(p, lane);
  const double variance = p.accumulator().div(moments.squares, moments.count);
  const double inverse = inverse_root(p, p.accumulator().add(variance, call.real(arg::eps)));
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::size_t at = place_of(k);
    results[0][places[k]] = normalized(p, lane[k], moments.mean, inverse, parameter(call, arg::weight, at, 1),
                                       parameter(call, arg::bias, at, 0));
  }
  if (results.size() == 1) return;
  results[1][number] = moments.mean;
  results[2][number] = inverse;
}

std::vector<std::vector<std::size_t>> last_dims(const PlainCall& call) {
  std::vector<bool> mask(static_cast<std::size_t>(call.rank(arg::input)), false);
  std::fill(mask.end() - static_cast<std::ptrdiff_t>(call.integers(arg::normalized_shape).size()), mask.end(), true);
  return lanes_along(call.sizes(arg::input), mask);
}

void layer_norm(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = last_dims(call);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    normalize(p, call, results, lanes[i], i, [](std::size_t k) { return k; });
  }
}

void rms_norm(Perturbed& p, const PlainCall& call, Results& results) {
  const Arithmetic& a = p.accumulator();
  const double own_eps = p.dtype() == DType::F64 ? std::numeric_limits<double>::epsilon()
                                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
  for (const auto& places : last_dims(call)) {
    const PlainTensor lane = lane_of(call.elements(arg::input), places);
    const double mean = plain_mean(p, a.dot(lane, lane), static_cast<double>(lane.size()));
    const double inverse = inverse_root(p, a.add(mean, call.real_or(arg::eps, own_eps)));
    for (std::size_t k = 0; k < places.size(); ++k) {
      results[0][places[k]] = a.mul(a.mul(lane[k], inverse), parameter(call, arg::weight, k, 1));
    }
  }
}

// The groups are stretches of the elements, the channels stretches of a group.
void group_norm_of(Perturbed& p, const PlainCall& call, Results& results, int64_t groups) {
  const auto batch = static_cast<std::size_t>(call.sizes(arg::input)[0]);
  const auto channels = static_cast<std::size_t>(call.sizes(arg::input)[1]);
  const std::size_t inner = results[0].size() / (batch * channels);
  const std::size_t in_group = channels / static_cast<std::size_t>(groups);
  const std::size_t length = in_group * inner;
  for (std::size_t i = 0; i < batch * static_cast<std::size_t>(groups); ++i) {
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < length; ++k) places.push_back(i * length + k);
    const std::size_t first = i % static_cast<std::size_t>(groups) * in_group;
    normalize(p, call, results, places, i, [&](std::size_t k) { return first + k / inner; });
  }
}
void group_norm(Perturbed& p, const PlainCall& call, Results& results) {
  group_norm_of(p, call, results, call.integer(arg::num_groups));
}
void native_group_norm(Perturbed& p, const PlainCall& call, Results& results) {
  group_norm_of(p, call, results, call.integer(arg::group));
}

std::vector<std::vector<std::size_t>> channels_of(const PlainCall& call) {
  std::vector<bool> mask(static_cast<std::size_t>(call.rank(arg::input)), true);
  mask[1] = false;
  return lanes_along(call.sizes(arg::input), mask);
}

// By the statistics of the batch.
void batch_norm_training(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = channels_of(call);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    normalize(p, call, results, lanes[i], i, [&](std::size_t) { return i; });
  }
}

// By running statistics.
void batch_norm_inference(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = channels_of(call);
  const double eps = call.real(arg::eps);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const double inverse = inverse_root(p, p.accumulator().add(call.elements(arg::running_var)[i], eps));
    for (const std::size_t place : lanes[i]) {
      results[0][place] = normalized(p, call.elements(arg::input)[place], call.elements(arg::running_mean)[i], inverse,
                                     parameter(call, arg::weight, i, 1), parameter(call, arg::bias, i, 0));
    }
  }
}

void batch_norm(Perturbed& p, const PlainCall& call, Results& results) {
  call.boolean(arg::training) ? batch_norm_training(p, call, results) : batch_norm_inference(p, call, results);
}

}  // namespace

std::vector<PlainOp> plain_normalization_ops() {
  using Domain = PlainOp::Domain;
  return {
      {"normalization", "aten.layer_norm.default", layer_norm},
      {"normalization", "aten.native_layer_norm.default", layer_norm},
      {"normalization", "aten.rms_norm.default", rms_norm},
      {"normalization", "aten.group_norm.default", group_norm},
      {"normalization", "aten.native_group_norm.default", native_group_norm},
      {"batch norm", "aten._native_batch_norm_legit.no_stats", batch_norm_training},
      {"batch norm", "aten._native_batch_norm_legit_no_training.default", batch_norm_inference, Domain::Positive},
      {"batch norm", "aten.native_batch_norm.default", batch_norm, Domain::Positive},
      {"batch norm", "aten._native_batch_norm_legit.default", batch_norm, Domain::Positive},
      {"batch norm", "aten.batch_norm.default", batch_norm, Domain::Positive},
  };
}

}  // namespace parallax
