// Reductions along dims, running sums, and softmax.
#include <algorithm>

#include "core/limits.h"
#include "tests/soundness/plain_call.h"
#include "tests/soundness/plain_moments.h"

namespace parallax {
namespace {

using Domain = PlainOp::Domain;
using Results = std::vector<PlainTensor>;
constexpr auto exponential = [](auto x) { return std::exp(x); };
constexpr auto logarithm = [](auto x) { return std::log(x); };

PlainMoments welford(const Arithmetic& a, std::span<const double> lane) {
  PlainMoments moments{1, lane[0], 0};
  for (const double x : lane.subspan(1)) {
    moments.count += 1;
    const double delta = a.sub(x, moments.mean);
    moments.mean = a.add(moments.mean, a.div(delta, moments.count));
    moments.squares = a.fma(delta, a.sub(x, moments.mean), moments.squares);
  }
  return moments;
}

PlainMoments merged(const Arithmetic& a, std::span<const double> lane) {
  if (lane.size() <= 4) return welford(a, lane);
  const PlainMoments left = merged(a, lane.first(lane.size() / 2));
  const PlainMoments right = merged(a, lane.subspan(lane.size() / 2));
  const double count = left.count + right.count;
  const double delta = a.sub(right.mean, left.mean);
  const double share = a.div(right.count, count);
  const double between = a.mul(a.mul(delta, delta), a.mul(left.count, share));
  return {count, a.fma(delta, share, left.mean), a.add(a.add(left.squares, right.squares), between)};
}

}  // namespace

PlainMoments plain_moments(const Perturbed& p, std::span<const double> lane) {
  const Arithmetic& a = p.accumulator();
  if (lane.empty()) return {};
  switch (p.habits().order) {
    case Habits::Order::Sequential:
      return welford(a, lane);
    case Habits::Order::Pairwise:
      return merged(a, lane);
    default:
      break;
  }
  const auto count = static_cast<double>(lane.size());
  const double mean = plain_mean(p, a.sum(lane), count);
  PlainTensor deviations;
  for (const double x : lane) deviations.push_back(a.sub(x, mean));
  return {count, mean, a.dot(deviations, deviations)};
}

double plain_mean(const Perturbed& p, double sum, double count) {
  const Arithmetic& a = p.accumulator();
  return p.other_form() ? a.mul(sum, a.div(1, count)) : a.div(sum, count);
}

namespace {

// A reduction over some dims, or all of them where the op names none.
template <auto reduce>
void over_dims(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = lanes_along(call.sizes(arg::self), call.dims(arg::dim));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    reduce(p, call, lane_of(call.elements(arg::self), lanes[i]),
           [&](int k) -> double& { return results[static_cast<std::size_t>(k)][i]; });
  }
}

// What an element-wise reduction of a lane is: a function of the lane into one number.
template <double (*reduce)(Perturbed& p, const PlainCall& call, const PlainTensor& lane)>
void single(Perturbed& p, const PlainCall& call, Results& results) {
  over_dims<[](Perturbed& q, const PlainCall& c, const PlainTensor& lane, auto result) {
    result(0) = reduce(q, c, lane);
  }>(p, call, results);
}

double sum(Perturbed& p, const PlainCall&, const PlainTensor& lane) { return p.sum(lane); }
double mean(Perturbed& p, const PlainCall&, const PlainTensor& lane) {
  return plain_mean(p, p.sum(lane), static_cast<double>(lane.size()));
}
double largest(Perturbed& p, const PlainCall&, const PlainTensor& lane) {
  double most = lane[0];
  for (const double x : lane) most = p.maximum(most, x);
  return most;
}
double smallest(Perturbed& p, const PlainCall&, const PlainTensor& lane) {
  double least = lane[0];
  for (const double x : lane) least = p.minimum(least, x);
  return least;
}

// A correction, 1 where it is None, or whether it is 1; 1 where it is neither.
double variance_of(Perturbed& p, const PlainCall& call, const PlainMoments& moments) {
  const double correction = call.takes(arg::unbiased) ? call.boolean(arg::unbiased) : call.real_or(arg::correction, 1);
  return p.accumulator().div(moments.squares, std::max(moments.count - correction, 0.0));
}
double variance(Perturbed& p, const PlainCall& call, const PlainTensor& lane) {
  return variance_of(p, call, plain_moments(p, lane));
}
double deviation(Perturbed& p, const PlainCall& call, const PlainTensor& lane) {
  return p.accumulator().sqrt(variance(p, call, lane));
}
void variance_and_mean(Perturbed& p, const PlainCall& call, Results& results) {
  over_dims<[](Perturbed& q, const PlainCall& c, const PlainTensor& lane, auto result) {
    const PlainMoments moments = plain_moments(q, lane);
    result(0) = variance_of(q, c, moments);
    result(1) = moments.mean;
  }>(p, call, results);
}

void deviation_and_mean(Perturbed& p, const PlainCall& call, Results& results) {
  variance_and_mean(p, call, results);
  for (double& variance : results[0]) variance = p.accumulator().sqrt(variance);
}

double norm_of(Perturbed& p, double order, const PlainTensor& lane) {
  const Arithmetic& a = p.accumulator();
  PlainTensor terms;
  for (const double x : lane) {
    const double magnitude = std::fabs(x);
    if (order == 1)
      terms.push_back(magnitude);
    else if (order == 0)
      terms.push_back(x != 0);
    else if (order != 2 && std::isfinite(order)) {
      terms.push_back(a.fn([](auto v, auto e) { return std::pow(v, e); }, magnitude, order));
    } else {
      terms.push_back(magnitude);
    }
  }
  if (order == infinity) return *std::ranges::max_element(terms);
  if (order == -infinity) return *std::ranges::min_element(terms);
  if (order == 2) return a.sqrt(a.dot(terms, terms));
  if (order == 0 || order == 1) return a.sum(terms);
  return a.fn([](auto v, auto e) { return std::pow(v, e); }, a.sum(terms), a.div(1, order));
}
// The order is 2 where it is None.
void vector_norm(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = lanes_along(call.sizes(arg::self), call.dims(arg::dim));
  const double order = call.real_or(call.takes(arg::ord) ? arg::ord : arg::p, 2);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    results[0][i] = norm_of(p, order, lane_of(call.elements(arg::self), lanes[i]));
  }
}

// Along one dim.
std::vector<std::vector<std::size_t>> lanes_of_dim(const PlainCall& call) {
  std::vector<bool> mask(static_cast<std::size_t>(call.rank(arg::self)), false);
  if (!mask.empty()) mask[static_cast<std::size_t>(call.dim(arg::dim))] = true;
  return lanes_along(call.sizes(arg::self), mask);
}

// Products are made in the dtype of the elements.
double product(Perturbed& p, const PlainCall&, const PlainTensor& lane) { return p.element().product(lane); }
void product_of_dim(Perturbed& p, const PlainCall& call, Results& results) {
  const auto lanes = lanes_of_dim(call);
  for (std::size_t i = 0; i < lanes.size(); ++i)
    results[0][i] = product(p, call, lane_of(call.elements(arg::self), lanes[i]));
}

void running_sum(Perturbed& p, const PlainCall& call, Results& results) {
  for (const auto& places : lanes_of_dim(call)) {
    const PlainTensor lane = lane_of(call.elements(arg::self), places);
    for (std::size_t k = 0; k < lane.size(); ++k) results[0][places[k]] = p.sum(std::span(lane).first(k + 1));
  }
}
void running_product(Perturbed& p, const PlainCall& call, Results& results) {
  for (const auto& places : lanes_of_dim(call)) {
    double product = 1;
    for (const std::size_t place : places) {
      results[0][place] = product = p.mul(product, call.elements(arg::self)[place]);
    }
  }
}

// The exponentials of a lane relative to its largest element, which is taken off.
struct Exponentials {
  double most;
  PlainTensor shifted;
  PlainTensor powers;
  double sum;
};
Exponentials exponentials_of(const Perturbed& p, const PlainTensor& lane) {
  const Arithmetic& a = p.accumulator();
  Exponentials e{*std::ranges::max_element(lane), {}, {}, 0};
  for (const double x : lane) {
    e.shifted.push_back(a.sub(x, e.most));
    e.powers.push_back(a.fn(exponential, e.shifted.back()));
  }
  e.sum = a.sum(e.powers);
  return e;
}

void softmax(Perturbed& p, const PlainCall& call, Results& results) {
  const Arithmetic& a = p.accumulator();
  for (const auto& places : lanes_of_dim(call)) {
    const Exponentials e = exponentials_of(p, lane_of(call.elements(arg::self), places));
    for (std::size_t k = 0; k < places.size(); ++k) {
      results[0][places[k]] = p.other_form() ? a.mul(e.powers[k], a.div(1, e.sum)) : a.div(e.powers[k], e.sum);
    }
  }
}
void log_softmax(Perturbed& p, const PlainCall& call, Results& results) {
  const Arithmetic& a = p.accumulator();
  for (const auto& places : lanes_of_dim(call)) {
    const PlainTensor lane = lane_of(call.elements(arg::self), places);
    const Exponentials e = exponentials_of(p, lane);
    const double log_sum = a.fn(logarithm, e.sum);
    for (std::size_t k = 0; k < places.size(); ++k) results[0][places[k]] = a.sub(e.shifted[k], log_sum);
  }
}
double log_sum(Perturbed& p, const PlainCall&, const PlainTensor& lane) {
  const Exponentials e = exponentials_of(p, lane);
  return p.accumulator().add(e.most, p.accumulator().fn(logarithm, e.sum));
}

// The logarithm of the sum of two numbers' exponentials, and of a lane's as a scan in parallel has it.
double log_add(const Arithmetic& a, double x, double y) {
  const double power = a.fn(exponential, a.sub(std::min(x, y), std::max(x, y)));
  return a.add(std::max(x, y), a.fn([](auto z) { return std::log1p(z); }, power));
}
double log_total(const Arithmetic& a, std::span<const double> lane) {
  if (lane.size() == 1) return lane[0];
  return log_add(a, log_total(a, lane.first(lane.size() / 2)), log_total(a, lane.subspan(lane.size() / 2)));
}
void running_log_sum(Perturbed& p, const PlainCall& call, Results& results) {
  const Arithmetic& a = p.accumulator();
  for (const auto& places : lanes_of_dim(call)) {
    const PlainTensor lane = lane_of(call.elements(arg::self), places);
    for (std::size_t k = 0; k < lane.size(); ++k) {
      double& result = results[0][places[k]];
      if (p.other_form() || k == 0) {
        result = log_total(a, std::span(lane).first(k + 1));
      } else {
        result = log_add(a, results[0][places[k - 1]], lane[k]);
      }
    }
  }
}

}  // namespace

std::vector<PlainOp> plain_reduction_ops() {
  return {
      {"sum", "aten.sum.default", single<sum>},
      {"sum", "aten.sum.dim_IntList", single<sum>},
      {"sum", "aten.mean.default", single<mean>},
      {"sum", "aten.mean.dim", single<mean>},
      {"sum", "aten.nansum.default", single<sum>},
      {"sum", "aten.cumsum.default", running_sum},
      {"product", "aten.prod.default", single<product>},
      {"product", "aten.prod.dim_int", product_of_dim},
      {"product", "aten.cumprod.default", running_product},
      {"extremum", "aten.amax.default", single<largest>},
      {"extremum", "aten.amin.default", single<smallest>},
      {"variance", "aten.var.correction", single<variance>},
      {"variance", "aten.std.correction", single<deviation>},
      {"variance", "aten.var.dim", single<variance>},
      {"variance", "aten.var.default", single<variance>},
      {"variance", "aten.std.dim", single<deviation>},
      {"variance", "aten.std.default", single<deviation>},
      {"variance", "aten.var_mean.correction", variance_and_mean},
      {"variance", "aten.var_mean.dim", variance_and_mean},
      {"variance", "aten.var_mean.default", variance_and_mean},
      {"variance", "aten.std_mean.correction", deviation_and_mean},
      {"variance", "aten.std_mean.dim", deviation_and_mean},
      {"variance", "aten.std_mean.default", deviation_and_mean},
      {"norm", "aten.linalg_vector_norm.default", vector_norm},
      {"norm", "aten.norm.Scalar", vector_norm},
      {"norm", "aten.norm.ScalarOpt_dtype", vector_norm},
      {"norm", "aten.norm.ScalarOpt_dim", vector_norm},
      {"norm", "aten.norm.ScalarOpt_dim_dtype", vector_norm},
      {"softmax", "aten.softmax.int", softmax},
      {"softmax", "aten._softmax.default", softmax},
      {"softmax", "aten.log_softmax.int", log_softmax},
      {"softmax", "aten._log_softmax.default", log_softmax},
      {"softmax", "aten.special_softmax.default", softmax},
      {"softmax", "aten.special_log_softmax.default", log_softmax},
      {"softmax", "aten.logsumexp.default", single<log_sum>},
      {"softmax", "aten.logcumsumexp.default", running_log_sum},
  };
}

}  // namespace parallax
