#include "ops/attention_plan.h"

#include <cmath>

namespace parallax {
namespace {

Dims batch_of(const Dims& sizes) { return Dims(std::span(sizes.begin(), sizes.end() - 2)); }

Dims with_matrix(Dims batch, int64_t rows, int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

// The batch of keys or values as that of the queries: each head serves a group of theirs.
Result<int64_t> group_heads(const Call& call, const Dims& query, Dims& batch) {
  if (batch.empty() || query.size() < 3) return refuse("{}: grouped queries without heads", call.op().name);
  int64_t& heads = batch[batch.size() - 1];
  const int64_t wanted = query[query.size() - 3];
  if (heads == 0 || wanted % heads != 0) {
    return refuse("{}: {} heads of queries for {} of keys or values", call.op().name, wanted, heads);
  }
  const int64_t group = wanted / heads;
  heads = wanted;
  return group;
}

Result<void> check_mask(const Call& call, const AttentionPlan& plan) {
  const Layout& mask = call.tensor(arg::attn_mask).layout;
  if (broadcast_to(mask, plan.score_sizes())) return {};
  return refuse("{}: a mask of [{}] for scores of [{}]", call.op().name, to_string(mask.sizes),
                to_string(plan.score_sizes()));
}

}  // namespace

Dims AttentionPlan::result_sizes() const { return with_matrix(batch, queries, value_depth); }
Dims AttentionPlan::score_sizes() const { return with_matrix(score_batch, queries, keys); }
Dims AttentionPlan::whole_sizes() const { return with_matrix(batch, queries, keys); }

Result<AttentionPlan> plan_attention(const Call& call, bool grouped) {
  const std::string& op = call.op().name;
  const TensorMeta& query = call.tensor(arg::query);
  const TensorMeta& key = call.tensor(arg::key);
  const TensorMeta& value = call.tensor(arg::value);
  if (query.dtype != key.dtype || query.dtype != value.dtype) {
    return refuse("{}: {} beside {} and {}", op, name(query.dtype), name(key.dtype), name(value.dtype));
  }
  if (!is_floating(query.dtype)) return refuse("{} does not take {}", op, name(query.dtype));
  if (call.real(arg::dropout_p) != 0) return refuse("{}: dropout is random", op);
  const Dims& q = query.layout.sizes;
  const Dims& k = key.layout.sizes;
  const Dims& v = value.layout.sizes;
  if (q.size() < 2 || k.size() < 2 || v.size() < 2) return refuse("{} takes matrices, and batches of them", op);
  AttentionPlan plan;
  plan.queries = q[q.size() - 2];
  plan.keys = k[k.size() - 2];
  plan.depth = q.back();
  plan.value_depth = v.back();
  if (k.back() != plan.depth) return refuse("{}: queries of {} and keys of {}", op, plan.depth, k.back());
  if (v[v.size() - 2] != plan.keys) return refuse("{}: {} keys and {} values", op, plan.keys, v[v.size() - 2]);
  Dims key_batch = batch_of(k);
  Dims value_batch = batch_of(v);
  if (grouped) {
    TRY(plan.key_group, group_heads(call, q, key_batch));
    TRY(plan.value_group, group_heads(call, q, value_batch));
  }
  const auto scores = broadcast_sizes(batch_of(q), key_batch);
  const auto batch = scores ? broadcast_sizes(*scores, value_batch) : std::nullopt;
  if (!batch || batch->size() > max_rank - 2 || !checked_numel(std::span(batch->begin(), batch->end()))) {
    return refuse("{}: batches of [{}], [{}] and [{}] do not broadcast", op, to_string(q), to_string(k), to_string(v));
  }
  plan.score_batch = *scores;
  plan.batch = *batch;
  plan.causal = call.boolean(arg::is_causal);
  plan.has_mask = call.has(arg::attn_mask);
  // Without elements every score is 0.
  const double own_scale = plan.depth == 0 ? 1 : 1 / std::sqrt(static_cast<double>(plan.depth));
  plan.scale = call.has(arg::scale) ? call.real(arg::scale) : own_scale;
  if (plan.has_mask) TRY_VOID(check_mask(call, plan));
  return plan;
}

MatrixBatch matrices_of(const Layout& layout, const Dims& batch, int64_t group) {
  const int rank = layout.rank();
  MatrixBatch result{{}, layout.strides[rank - 2], layout.strides[rank - 1]};
  Layout leading{batch_of(layout.sizes), batch_of(layout.strides), layout.offset};
  Dims whole = batch;
  if (group > 1) whole[whole.size() - 1] /= group;
  for_each_element(*broadcast_to(leading, whole), [&](int64_t start) {
    for (int64_t member = 0; member < group; ++member) result.starts.push_back(start);
  });
  return result;
}

MatrixBatch mask_matrices(const Layout& layout, const AttentionPlan& plan) {
  return matrices_of(*broadcast_to(layout, plan.whole_sizes()), plan.batch, 1);
}

}  // namespace parallax
