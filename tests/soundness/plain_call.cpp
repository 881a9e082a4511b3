#include "tests/soundness/plain_call.h"

#include <algorithm>

#include "core/check.h"

namespace parallax {

PlainTensor broadcast(const PlainTensor& from, const Dims& own, const Dims& whole) {
  if (own == whole) return from;
  PlainTensor repeated;
  std::size_t count = 1;
  for (const int64_t size : whole) count *= static_cast<std::size_t>(size);
  repeated.reserve(count);
  for (std::size_t place = 0; place < count; ++place) {
    std::size_t rest = place;
    std::size_t at = 0;
    std::size_t step = 1;
    for (int dim = whole.size() - 1, mine = own.size() - 1; dim >= 0; --dim, --mine) {
      const auto size = static_cast<std::size_t>(whole[dim]);
      if (mine >= 0 && own[mine] != 1) at += rest % size * step;
      if (mine >= 0) step *= static_cast<std::size_t>(own[mine]);
      rest /= size;
    }
    repeated.push_back(from[at]);
  }
  return repeated;
}

PlainTensor PlainCall::broadcast(ParameterRef parameter) const {
  return parallax::broadcast(elements(parameter), sizes(parameter), result_sizes());
}

int PlainCall::dim(ParameterRef parameter) const {
  const auto given = static_cast<int>(integer(parameter));
  return given < 0 ? given + std::max(rank(arg::self), 1) : given;
}

std::vector<bool> PlainCall::dims(ParameterRef parameter) const {
  const int own = rank(arg::self);
  std::vector<bool> mask(static_cast<std::size_t>(own), !has(parameter) || integers(parameter).empty());
  if (!has(parameter) || mask.empty()) return mask;
  for (const int64_t dim : integers(parameter)) mask[static_cast<std::size_t>(dim < 0 ? dim + own : dim)] = true;
  return mask;
}

int64_t PlainCall::entry(ParameterRef parameter, int k, int64_t otherwise) const {
  if (!has(parameter) || integers(parameter).empty()) return otherwise;
  const IntList& list = integers(parameter);
  return list.size() == 1 ? list[0] : list[static_cast<std::size_t>(k)];
}

std::vector<std::vector<std::size_t>> lanes_along(const Dims& sizes, const std::vector<bool>& mask) {
  std::size_t count = 1;
  std::size_t lanes = 1;
  for (int dim = 0; dim < sizes.size(); ++dim) {
    const auto size = static_cast<std::size_t>(sizes[dim]);
    count *= size;
    if (!mask[static_cast<std::size_t>(dim)]) lanes *= size;
  }
  std::vector<std::vector<std::size_t>> places(lanes);
  for (std::size_t place = 0; place < count; ++place) {
    std::size_t rest = place;
    std::size_t lane = 0;
    std::size_t step = 1;
    for (int dim = sizes.size() - 1; dim >= 0; --dim) {
      const auto size = static_cast<std::size_t>(sizes[dim]);
      if (!mask[static_cast<std::size_t>(dim)]) {
        lane += rest % size * step;
        step *= size;
      }
      rest /= size;
    }
    places[lane].push_back(place);
  }
  return places;
}

PlainTensor lane_of(const PlainTensor& elements, const std::vector<std::size_t>& places) {
  PlainTensor lane;
  lane.reserve(places.size());
  for (const std::size_t place : places) lane.push_back(elements[place]);
  return lane;
}

namespace {

// Parameter i for each element of the first result.
PlainTensor operand(Perturbed& p, const PlainCall& call, int i, std::size_t count) {
  if (call.is_tensor(i)) return call.broadcast(i);
  return PlainTensor(count, p.number(call.real(i)));
}

void fill(PlainOp::One function, Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  PlainTensor& result = results[0];
  const PlainTensor x = operand(p, call, 0, result.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(p, call, x[i]);
}

void fill(PlainOp::Two function, Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  PlainTensor& result = results[0];
  const PlainTensor x = operand(p, call, 0, result.size());
  const PlainTensor y = operand(p, call, 1, result.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(p, call, x[i], y[i]);
}

void fill(PlainOp::Three function, Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  PlainTensor& result = results[0];
  const PlainTensor x = operand(p, call, 0, result.size());
  const PlainTensor y = operand(p, call, 1, result.size());
  const PlainTensor z = operand(p, call, 2, result.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = function(p, call, x[i], y[i], z[i]);
}

void fill(PlainOp::Whole function, Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  function(p, call, results);
}

}  // namespace

std::vector<PlainTensor> run_plain(const PlainOp& op, Perturbed& p, const PlainCall& call) {
  std::vector<PlainTensor> results;
  for (std::size_t k = 0; k < call.op().schema.returns.size(); ++k) {
    std::size_t count = 1;
    for (const int64_t size : call.result_sizes(static_cast<int>(k))) count *= static_cast<std::size_t>(size);
    results.emplace_back(count);
  }
  std::visit([&](auto function) { fill(function, p, call, results); }, op.function);
  for (PlainTensor& result : results) {
    for (double& element : result) element = p.store(element);
  }
  return results;
}

const std::vector<PlainOp>& plain_ops() {
  static const std::vector<PlainOp> ops = [] {
    std::vector<PlainOp> all;
    for (auto* table : {plain_unary_ops, plain_pair_ops, plain_reduction_ops, plain_normalization_ops,
                        plain_product_ops, plain_convolution_ops, plain_pool_ops, plain_resample_ops, plain_scatter_ops,
                        plain_distance_ops, plain_special_ops, plain_polynomial_ops, plain_attention_ops,
                        plain_recurrent_ops, plain_bag_ops, plain_gradient_ops, plain_quantization_ops}) {
      for (const PlainOp& op : table()) all.push_back(op);
    }
    return all;
  }();
  return ops;
}

const PlainOp& plain_op(std::string_view name) {
  const auto found = std::ranges::find(plain_ops(), name, &PlainOp::name);
  PARALLAX_CHECK(found != plain_ops().end());
  return *found;
}

}  // namespace parallax
