#include "ops/plain/attention_in_double.h"

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "ops/plain/elements_in_double.h"
#include "ops/plain/product_in_double.h"
#include "ops/plain/softmax_in_double.h"

namespace parallax {
namespace {

// One matrix of a batch, row-major; its transpose where the strides are given the other way round.
std::optional<std::vector<double>> matrix(const BallView& view, const MatrixBatch& matrices, std::size_t batch,
                                          int64_t rows, int64_t columns, bool transposed) {
  std::vector<double> elements;
  elements.reserve(static_cast<std::size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t at = transposed ? matrices.element(batch, column, row) : matrices.element(batch, row, column);
      const Ball& ball = view.ball(at);
      if (!is_number(ball)) return std::nullopt;
      elements.push_back(ball.mid);
    }
  }
  return elements;
}

// What the mask adds to a score; nothing where it is not known. The formula with a dropout mask takes bools for 0
// and 1.
std::optional<double> masked(const ReferenceCall& call, int64_t element) {
  const BallView& mask = call.input(arg::attn_mask);
  if (mask.floating()) {
    const Ball& ball = mask.ball(element);
    if (is_number(ball) || (ball.is_exact() && ball.mid == -infinity)) return ball.mid;
    return std::nullopt;
  }
  const IntegerBall& kept = mask.integer(element);
  if (!kept.decided()) return std::nullopt;
  if (call.takes(arg::dropout_mask)) return kept.value != 0 ? 1 : 0;
  return kept.value != 0 ? 0 : -infinity;
}

}  // namespace

std::optional<PlainAttention> attend_plainly(const ReferenceCall& call, const AttentionPlan& plan) {
  const BallView& query = call.input(arg::query);
  const BallView& key = call.input(arg::key);
  const BallView& value = call.input(arg::value);
  const MatrixBatch queries = matrices_of(query.layout, plan.batch, 1);
  const MatrixBatch keys = matrices_of(key.layout, plan.batch, plan.key_group);
  const MatrixBatch values = matrices_of(value.layout, plan.batch, plan.value_group);
  const MatrixBatch masks = plan.has_mask ? mask_matrices(call.input(arg::attn_mask).layout, plan) : MatrixBatch{};
  if (plan.keys == 0) return std::nullopt;
  PlainAttention attention;
  for (std::size_t batch = 0; batch < queries.starts.size(); ++batch) {
    const auto q = matrix(query, queries, batch, plan.queries, plan.depth, false);
    const auto k = matrix(key, keys, batch, plan.keys, plan.depth, false);
    const auto v = matrix(value, values, batch, plan.value_depth, plan.keys, true);
    if (!q || !k || !v) return std::nullopt;
    std::vector<double> scores = PlainProduct{1, plan.queries, plan.keys, plan.depth}(*q, *k);
    for (int64_t row = 0; row < plan.queries; ++row) {
      const std::span lane =
          std::span(scores).subspan(static_cast<std::size_t>(row * plan.keys), static_cast<std::size_t>(plan.keys));
      for (int64_t column = 0; column < plan.keys; ++column) {
        double& score = lane[static_cast<std::size_t>(column)];
        score *= plan.scale;
        if (plan.causal && column > row) score = -infinity;
        if (!plan.has_mask) continue;
        const std::optional<double> mask = masked(call, masks.element(batch, row, column));
        if (!mask) return std::nullopt;
        score += *mask;
      }
      if (std::ranges::max(lane) == -infinity) return std::nullopt;
      attention.log_sums.push_back(normalize_exponentials(lane));
    }
    const std::vector<double> results = PlainProduct{1, plan.queries, plan.value_depth, plan.keys}(scores, *v);
    attention.results.insert(attention.results.end(), results.begin(), results.end());
    attention.weights.insert(attention.weights.end(), scores.begin(), scores.end());
  }
  return attention;
}

}  // namespace parallax
