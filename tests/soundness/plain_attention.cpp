// Attention by a softmax over all scores, by running sums that a larger score rescales, and by a scale that goes on the
// factors or on their product.
#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

// A batch of matrices, row-major.
struct Matrices {
  const PlainTensor* elements;
  Dims sizes;

  std::size_t rows() const { return static_cast<std::size_t>(sizes[sizes.size() - 2]); }
  std::size_t columns() const { return static_cast<std::size_t>(sizes.back()); }
  // Batches broadcast, and each head serves its share of `whole`'s.
  std::size_t batch(std::size_t number, const Dims& whole) const {
    std::size_t at = 0;
    std::size_t step = 1;
    for (int dim = whole.size() - 3, mine = sizes.size() - 3; mine >= 0; --dim, --mine) {
      const auto size = static_cast<std::size_t>(whole[dim]);
      const auto own = static_cast<std::size_t>(sizes[mine]);
      at += number % size / (size / own) * step;
      number /= size;
      step *= own;
    }
    return at;
  }
  double at(std::size_t batch_number, std::size_t row, std::size_t column) const {
    return (*elements)[(batch_number * rows() + row) * columns() + column];
  }
};

Matrices matrices(const PlainCall& call, arg name) { return {&call.elements(name), call.sizes(name)}; }

std::size_t batches_of(const Dims& sizes) {
  std::size_t count = 1;
  for (int dim = 0; dim < sizes.size() - 2; ++dim) count *= static_cast<std::size_t>(sizes[dim]);
  return count;
}

double exponential(const Arithmetic& a, double x) {
  return x == 0 ? 1 : x == -infinity ? 0 : a.fn([](auto y) { return std::exp(y); }, x);
}

double score(const Perturbed& p, const PlainTensor& query, const PlainTensor& key, double scale) {
  const Arithmetic& a = p.accumulator();
  if (!p.other_form()) return a.mul(a.dot(query, key), a.round(scale));
  const double root = a.round(std::sqrt(std::fabs(scale)));
  PlainTensor left;
  PlainTensor right;
  for (const double x : query) left.push_back(a.mul(x, scale < 0 ? -root : root));
  for (const double x : key) right.push_back(a.mul(x, root));
  return a.dot(left, right);
}

// What is known of one query once all keys are seen.
struct Row {
  PlainTensor weights;  // of one softmax over all scores
  PlainTensor averages;
  double log_sum = 0;
};

Row by_softmax(const Perturbed& p, const PlainTensor& scores, const std::vector<PlainTensor>& columns) {
  const Arithmetic& a = p.accumulator();
  const double most = *std::ranges::max_element(scores);
  if (most == -infinity) return {PlainTensor(scores.size(), 0), PlainTensor(columns.size(), 0), 0};
  PlainTensor exponentials;
  for (const double x : scores) exponentials.push_back(exponential(a, a.sub(x, most)));
  const double sum = a.sum(exponentials);
  Row row;
  for (const double x : exponentials) row.weights.push_back(a.div(x, sum));
  for (const PlainTensor& column : columns) {
    PlainTensor factors;
    for (const double x : p.other_form() ? exponentials : row.weights) factors.push_back(p.kept(x));
    const double average = a.dot(factors, column);
    row.averages.push_back(p.other_form() ? a.div(average, sum) : average);
  }
  row.log_sum = a.add(most, a.fn([](auto y) { return std::log(y); }, sum));
  return row;
}

// Key by key: what is summed so far is multiplied by exp(old maximum - new one).
Row by_running_sums(const Perturbed& p, const PlainTensor& scores, const std::vector<PlainTensor>& columns) {
  const Arithmetic& a = p.accumulator();
  double most = -infinity;
  double sum = 0;
  PlainTensor sums(columns.size(), 0);
  for (std::size_t key = 0; key < scores.size(); ++key) {
    const double larger = std::max(most, scores[key]);
    if (larger == -infinity) continue;
    const double rescale = exponential(a, most == -infinity ? -infinity : a.sub(most, larger));
    const double weight = exponential(a, a.sub(scores[key], larger));
    most = larger;
    sum = a.fma(sum, rescale, weight);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      sums[column] = a.add(a.mul(sums[column], rescale), a.mul(weight, columns[column][key]));
    }
  }
  Row row = by_softmax(p, scores, columns);
  if (most == -infinity) return row;
  for (std::size_t column = 0; column < columns.size(); ++column) row.averages[column] = a.div(sums[column], sum);
  return row;
}

// The second result's are the logarithms or the weights.
template <bool logs>
void attend(Perturbed& p, const PlainCall& call, std::vector<PlainTensor>& results) {
  const Arithmetic& a = p.accumulator();
  const Matrices query = matrices(call, arg::query);
  const Matrices key = matrices(call, arg::key);
  const Matrices value = matrices(call, arg::value);
  const Dims& whole = call.result_sizes();
  Dims scores_sizes = whole;
  scores_sizes[scores_sizes.size() - 1] = static_cast<int64_t>(key.rows());
  const bool masks = call.has(arg::attn_mask);
  const PlainTensor mask =
      masks ? broadcast(call.elements(arg::attn_mask), call.sizes(arg::attn_mask), scores_sizes) : PlainTensor();
  const bool of_bools = masks && call.tensor(arg::attn_mask).dtype == DType::Bool && !call.takes(arg::dropout_mask);
  const double scale = call.real_or(arg::scale, 1 / std::sqrt(static_cast<double>(query.columns())));
  for (std::size_t batch = 0; batch < batches_of(whole); ++batch) {
    const auto row_of = [&](const Matrices& from, std::size_t row) {
      PlainTensor elements;
      for (std::size_t i = 0; i < from.columns(); ++i) elements.push_back(from.at(from.batch(batch, whole), row, i));
      return elements;
    };
    std::vector<PlainTensor> columns(value.columns());
    for (std::size_t k = 0; k < value.rows(); ++k) {
      const PlainTensor row = row_of(value, k);
      for (std::size_t column = 0; column < row.size(); ++column) columns[column].push_back(row[column]);
    }
    for (std::size_t q = 0; q < query.rows(); ++q) {
      const std::size_t at = batch * query.rows() + q;
      PlainTensor scores;
      for (std::size_t k = 0; k < key.rows(); ++k) {
        double x = score(p, row_of(query, q), row_of(key, k), scale);
        if (call.boolean(arg::is_causal) && k > q) x = -infinity;
        if (masks && of_bools && mask[at * key.rows() + k] == 0) x = -infinity;
        if (masks && !of_bools) x = a.add(x, mask[at * key.rows() + k]);
        scores.push_back(x);
      }
      const Row row =
          p.takes(Form::OnlineSoftmax) ? by_running_sums(p, scores, columns) : by_softmax(p, scores, columns);
      std::ranges::copy(row.averages, results[0].begin() + static_cast<std::ptrdiff_t>(at * value.columns()));
      if (results.size() == 1) continue;
      if constexpr (logs) results[1][at] = row.log_sum;
      if constexpr (!logs)
        std::ranges::copy(row.weights, results[1].begin() + static_cast<std::ptrdiff_t>(at * key.rows()));
    }
  }
}

}  // namespace

std::vector<PlainOp> plain_attention_ops() {
  return {
      {"attention", "aten.scaled_dot_product_attention.default", attend<false>},
      {"attention", "aten._scaled_dot_product_attention_math.default", attend<false>},
      {"attention", "aten._scaled_dot_product_flash_attention_for_cpu.default", attend<true>},
  };
}

}  // namespace parallax
