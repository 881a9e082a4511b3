// Distances between the rows of matrices, and products of every pair.
#include <cmath>
#include <limits>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Results = std::vector<PlainTensor>;

double norm_of_difference(const Perturbed& p, std::span<const double> x, std::span<const double> y, double order) {
  const Arithmetic& a = p.accumulator();
  PlainTensor parts;
  double largest = 0;
  double least = std::numeric_limits<double>::infinity();
  double differing = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double distance = std::fabs(a.sub(x[k], y[k]));
    largest = std::max(largest, distance);
    least = std::min(least, distance);
    differing += distance != 0 ? 1 : 0;
    if (order == 1) {
      parts.push_back(distance);
    } else if (order == 2) {
      parts.push_back(a.mul(distance, distance));
    } else if (std::isfinite(order)) {
      parts.push_back(a.pow(distance, p.number(order)));
    }
  }
  if (order == 0) return differing;
  if (std::isinf(order)) return order > 0 ? largest : least;
  const double total = a.sum(parts);
  if (order == 1) return total;
  if (order == 2) return a.sqrt(total);
  return a.pow(total, a.div(1, p.number(order)));
}

// sqrt(|x|^2 + |y|^2 - 2 x y).
double by_product(const Perturbed& p, std::span<const double> x, std::span<const double> y) {
  const Arithmetic& a = p.accumulator();
  PlainTensor left(x.begin(), x.end());
  PlainTensor right(x.begin(), x.end());
  left.insert(left.end(), y.begin(), y.end());
  right.insert(right.end(), y.begin(), y.end());
  for (std::size_t k = 0; k < x.size(); ++k) {
    left.push_back(-2 * x[k]);
    right.push_back(y[k]);
  }
  return a.sqrt(std::max(a.dot(left, right), 0.0));
}

// The matrix of a batch that is broadcast to the result's: its first element.
std::size_t matrix_of(const Dims& sizes, const Dims& result, std::size_t batch) {
  std::size_t place = 0;
  std::size_t step = static_cast<std::size_t>(sizes[sizes.size() - 1] * sizes[sizes.size() - 2]);
  for (int back = 3; back <= result.size(); ++back) {
    const auto size = static_cast<std::size_t>(result[result.size() - back]);
    const std::size_t at = batch % size;
    batch /= size;
    if (back > sizes.size()) continue;
    const auto own = static_cast<std::size_t>(sizes[sizes.size() - back]);
    if (own > 1) place += at * step;
    step *= own;
  }
  return place;
}

// compute_mode 0 and None go by the product from 26 rows on, 1 always, for p = 2.
void cdist(Perturbed& p, const PlainCall& call, Results& results) {
  const Dims& sizes = call.result_sizes();
  const auto rows = static_cast<std::size_t>(sizes[sizes.size() - 2]);
  const auto columns = static_cast<std::size_t>(sizes[sizes.size() - 1]);
  const auto inner = static_cast<std::size_t>(call.sizes(arg::x1)[call.rank(arg::x1) - 1]);
  const int64_t mode = call.has(arg::compute_mode) ? call.integer(arg::compute_mode) : 0;
  const bool product = call.real(arg::p) == 2 && (mode == 1 || (mode == 0 && (rows > 25 || columns > 25)));
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const std::size_t batch = i / (rows * columns);
    const std::size_t x = matrix_of(call.sizes(arg::x1), sizes, batch) + i / columns % rows * inner;
    const std::size_t y = matrix_of(call.sizes(arg::x2), sizes, batch) + i % columns * inner;
    const std::span<const double> left(call.elements(arg::x1).data() + x, inner);
    const std::span<const double> right(call.elements(arg::x2).data() + y, inner);
    results[0][i] = product ? by_product(p, left, right) : norm_of_difference(p, left, right, call.real(arg::p));
  }
}

// Each row with each later one.
void pdist(Perturbed& p, const PlainCall& call, Results& results) {
  const auto rows = static_cast<std::size_t>(call.sizes(arg::self)[0]);
  const auto inner = static_cast<std::size_t>(call.sizes(arg::self)[1]);
  std::size_t place = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = i + 1; j < rows; ++j) {
      const std::span<const double> left(call.elements(arg::self).data() + i * inner, inner);
      const std::span<const double> right(call.elements(arg::self).data() + j * inner, inner);
      results[0][place++] = norm_of_difference(p, left, right, call.real(arg::p));
    }
  }
}

// The norm of all their differences.
void dist(Perturbed& p, const PlainCall& call, Results& results) {
  const Dims whole = *broadcast_sizes(call.sizes(arg::self), call.sizes(arg::other));
  const PlainTensor left = broadcast(call.elements(arg::self), call.sizes(arg::self), whole);
  const PlainTensor right = broadcast(call.elements(arg::other), call.sizes(arg::other), whole);
  results[0][0] = norm_of_difference(p, left, right, call.real(arg::p));
}

void outer(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor& columns = call.elements(arg::vec2);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    results[0][i] = p.mul(call.elements(arg::self)[i / columns.size()], columns[i % columns.size()]);
  }
}

// Element by element; self is not looked at where beta is 0.
void addr(Perturbed& p, const PlainCall& call, Results& results) {
  const PlainTensor addend = call.broadcast(arg::self);
  const PlainTensor& columns = call.elements(arg::vec2);
  const double beta = p.number(call.real(arg::beta));
  const double alpha = p.number(call.real(arg::alpha));
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const double x = call.elements(arg::vec1)[i / columns.size()];
    const double y = columns[i % columns.size()];
    const double product = p.other_form() ? p.mul(alpha, p.mul(x, y)) : p.mul(p.mul(alpha, x), y);
    results[0][i] = beta == 0 ? product : p.fma(beta, addend[i], product);
  }
}

}  // namespace

std::vector<PlainOp> plain_distance_ops() {
  return {
      {"distance", "aten._cdist_forward.default", cdist},
      {"distance", "aten._pdist_forward.default", pdist},
      {"distance", "aten.dist.default", dist},
      {"outer", "aten.outer.default", outer},
      {"outer", "aten.ger.default", outer},
      {"outer", "aten.addr.default", addr},
  };
}

}  // namespace parallax
