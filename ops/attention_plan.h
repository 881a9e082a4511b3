// AttentionPlan: which queries of an attention meet which keys and values, and what eager refuses.
#pragma once

#include <optional>
#include <vector>

#include "ops/op.h"

namespace parallax {

// A batch of matrices in a tensor: where each begins, and how far its rows and columns lie apart.
struct MatrixBatch {
  std::vector<int64_t> starts;
  int64_t row_stride = 0;
  int64_t column_stride = 0;

  int64_t element(std::size_t batch, int64_t row, int64_t column) const {
    return starts[batch] + row * row_stride + column * column_stride;
  }
};

struct AttentionPlan {
  Dims batch;        // of the result: all dims but the last two
  Dims score_batch;  // of the scores, which values may broadcast
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t depth = 0;        // of a query and a key
  int64_t value_depth = 0;  // of a value and a result
  int64_t key_group = 1;    // so many heads of queries share a head of keys
  int64_t value_group = 1;
  double scale = 1;
  bool causal = false;
  bool has_mask = false;

  Dims result_sizes() const;
  Dims score_sizes() const;
  // Scores by batch of the result.
  Dims whole_sizes() const;
};

// Of an op with query, key and value; queries may be grouped where `grouped`.
Result<AttentionPlan> plan_attention(const Call& call, bool grouped);

// The matrices of an operand for each batch of the result; those of a mask are broadcast to queries by keys.
MatrixBatch matrices_of(const Layout& layout, const Dims& batch, int64_t group);
MatrixBatch mask_matrices(const Layout& layout, const AttentionPlan& plan);

}  // namespace parallax
