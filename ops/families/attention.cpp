// Attention: softmax(scale query key^T + mask) value, in the forms that eager has on the CPU.
#include "core/limits.h"
#include "ops/attention_plan.h"
#include "ops/ball_attention.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/fresh_layout.h"
#include "ops/pair_sample.h"
#include "ops/plain/attention_in_double.h"
#include "ops/plain/elements_in_double.h"
#include "ops/sample.h"

namespace parallax {
namespace {

constexpr int second_result = 1;

// What each form does with its second result.
enum class Second { None, LogSum, Weights };

bool is_grouped(const Call& call) { return call.takes(arg::enable_gqa) && call.boolean(arg::enable_gqa); }

// The kernel for the CPU takes four dims, and as many heads of keys as divide those of the queries.
bool fits_kernel(const Call& call, bool grouped) {
  const Dims& q = call.tensor(arg::query).layout.sizes;
  const Dims& k = call.tensor(arg::key).layout.sizes;
  const Dims& v = call.tensor(arg::value).layout.sizes;
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return false;
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || q[3] != v[3]) return false;
  return q[1] == k[1] || (grouped && k[1] != 0 && q[1] % k[1] == 0);
}

bool is_mask_for_kernel(const Call& call) {
  const int rank = call.has(arg::attn_mask) ? call.tensor(arg::attn_mask).layout.rank() : 4;
  return rank == 2 || rank == 4;
}

bool has_inner_stride(const Call& call, arg operand) {
  const Layout& layout = call.tensor(operand).layout;
  return layout.strides.back() == 1 || layout.sizes.back() == 1;
}

// Whether eager's choice falls on that kernel.
bool takes_kernel(const Call& call) {
  if (!fits_kernel(call, is_grouped(call)) || !is_mask_for_kernel(call)) return false;
  for (const arg operand : {arg::query, arg::key, arg::value}) {
    const Layout& layout = call.tensor(operand).layout;
    if (layout.sizes[2] == 0 || !has_inner_stride(call, operand)) return false;
  }
  return !call.has(arg::attn_mask) || has_inner_stride(call, arg::attn_mask);
}

Result<void> check_mask_dtype(const Call& call, bool also_bool) {
  if (!call.has(arg::attn_mask)) return {};
  const DType mask = call.tensor(arg::attn_mask).dtype;
  const DType query = call.tensor(arg::query).dtype;
  if (mask == query || mask == DType::F32 || (also_bool && mask == DType::Bool)) return {};
  return refuse("{}: a mask of {} for queries of {}", call.op().name, name(mask), name(query));
}

Result<void> check_not_both_masks(const Call& call) {
  if (call.has(arg::attn_mask) && call.boolean(arg::is_causal)) {
    return refuse("{}: a mask beside is_causal", call.op().name);
  }
  return {};
}

Metas infer_attention(const Call& call) {
  TRY(const AttentionPlan plan, plan_attention(call, is_grouped(call)));
  TRY_VOID(check_mask_dtype(call, true));
  const TensorMeta& query = call.tensor(arg::query);
  if (call.has(arg::attn_mask) && fits_kernel(call, is_grouped(call)) &&
      call.tensor(arg::attn_mask).layout.rank() < 2) {
    return refuse("{}: a mask of less than two dims", call.op().name);
  }
  if (takes_kernel(call)) {
    TRY(const Layout layout, fresh_layout(query.layout, MemoryFormat::Preserve));
    return fresh_result(query.dtype, layout);
  }
  TRY_VOID(check_not_both_masks(call));
  return fresh_result(query.dtype, contiguous_layout(plan.result_sizes()));
}

Metas infer_kernel(const Call& call) {
  TRY(const AttentionPlan plan, plan_attention(call, call.tensor(arg::query).layout.rank() > 2));
  TRY_VOID(check_mask_dtype(call, false));
  const TensorMeta& query = call.tensor(arg::query);
  if (!fits_kernel(call, true) || !is_mask_for_kernel(call)) {
    return refuse("{} takes four dims, and a mask of two or four", call.op().name);
  }
  // Eager stops at a division by zero.
  if (plan.queries == 0 || plan.keys == 0 || plan.depth == 0) return refuse("{} of nothing", call.op().name);
  TRY(const Layout layout, fresh_layout(query.layout, MemoryFormat::Preserve));
  const Dims& sizes = query.layout.sizes;
  // Made as [batch, queries, heads].
  const Layout logs{{sizes[0], sizes[1], sizes[2]}, {sizes[2] * sizes[1], 1, sizes[1]}, 0};
  const DType dtype = query.dtype == DType::F64 ? DType::F64 : DType::F32;
  return std::vector{ResultMeta{query.dtype, layout, ValueId()}, ResultMeta{dtype, logs, ValueId()}};
}

Metas infer_math(const Call& call) {
  if (call.has(arg::dropout_mask)) return refuse("{}: dropout is random", call.op().name);
  TRY_VOID(check_not_both_masks(call));
  TRY(const AttentionPlan plan, plan_attention(call, is_grouped(call)));
  const DType dtype = call.tensor(arg::query).dtype;
  if (call.has(arg::attn_mask) && !is_floating(call.tensor(arg::attn_mask).dtype) &&
      call.tensor(arg::attn_mask).dtype != DType::Bool) {
    return refuse("{}: a mask of {}", call.op().name, name(call.tensor(arg::attn_mask).dtype));
  }
  return std::vector{ResultMeta{dtype, contiguous_layout(plan.result_sizes()), ValueId()},
                     ResultMeta{dtype, contiguous_layout(plan.score_sizes()), ValueId()}};
}

// What a mask adds to one score: of bools 0 or -inf, but the formula is given numbers and takes bools for 0 and 1.
Ball mask_ball(const ReferenceCall& call, int64_t element, DType accumulator) {
  const BallView& mask = call.input(arg::attn_mask);
  if (mask.floating()) return cast_ball(mask.ball(element), mask.dtype, accumulator, call.profile());
  const IntegerBall& kept = mask.integer(element);
  if (kept.undecided != Undecided::No) return Ball::unknown(kept.undecided);
  if (call.takes(arg::dropout_mask)) return Ball::exact(kept.value != 0 ? 1 : 0);
  return Ball::exact(kept.value != 0 ? 0 : -infinity);
}

std::vector<Factor> row_of(const BallView& view, const MatrixBatch& matrices, std::size_t batch, int64_t row,
                           int64_t length) {
  std::vector<Factor> factors;
  for (int64_t i = 0; i < length; ++i) factors.emplace_back(view.ball(matrices.element(batch, row, i)));
  return factors;
}

std::vector<Factor> column_of(const BallView& view, const MatrixBatch& matrices, std::size_t batch, int64_t column,
                              int64_t length) {
  std::vector<Factor> factors;
  for (int64_t i = 0; i < length; ++i) factors.emplace_back(view.ball(matrices.element(batch, i, column)));
  return factors;
}

// The operands of a call by batch.
struct Operands {
  MatrixBatch query, key, value, mask;
};

Operands operands_of(const ReferenceCall& call, const AttentionPlan& plan) {
  return {matrices_of(call.input(arg::query).layout, plan.batch, 1),
          matrices_of(call.input(arg::key).layout, plan.batch, plan.key_group),
          matrices_of(call.input(arg::value).layout, plan.batch, plan.value_group),
          plan.has_mask ? mask_matrices(call.input(arg::attn_mask).layout, plan) : MatrixBatch{}};
}

// The masked scores of one query.
std::vector<Ball> scores_of(const ReferenceCall& call, const AttentionPlan& plan, const BallAttention& attention,
                            const Operands& operands, std::size_t batch, int64_t query,
                            const std::vector<std::vector<Factor>>& keys) {
  const std::vector<Factor> row = row_of(call.input(arg::query), operands.query, batch, query, plan.depth);
  std::vector<Ball> scores;
  for (int64_t key = 0; key < plan.keys; ++key) {
    Ball score = attention.score(row, keys[static_cast<std::size_t>(key)]);
    if (plan.causal && key > query) {
      // Eager's flash kernel scales the infinity: by 0 it is NaN, and by less the greatest score of all.
      const bool is_masked_last = plan.scale > 0 || call.op().schema.name == "_scaled_dot_product_attention_math";
      score = is_masked_last ? attention.masked(score, Ball::exact(-infinity)) : Ball::unknown(Undecided::Unbounded);
    }
    if (plan.has_mask) {
      const int64_t element = operands.mask.element(batch, query, key);
      score = attention.masked(score, mask_ball(call, element, attention.accumulator()));
    }
    scores.push_back(score);
  }
  return scores;
}

template <Second second>
Result<AttentionPlan> plan_of(const Call& call) {
  return plan_attention(call, second == Second::LogSum ? call.tensor(arg::query).layout.rank() > 2 : is_grouped(call));
}

template <Second second>
bool plain_attention(const ReferenceCall& call) {
  const Result<AttentionPlan> plan = plan_of<second>(call);
  // Values that broadcast the scores make each of them several times.
  if (!plan || (second == Second::Weights && plan->batch != plan->score_batch)) return false;
  const std::optional<PlainAttention> attention = attend_plainly(call, *plan);
  if (!attention) return false;
  store_plain(attention->results, call.output());
  if constexpr (second == Second::LogSum) store_plain(attention->log_sums, call.output(second_result));
  if constexpr (second == Second::Weights) store_plain(attention->weights, call.output(second_result));
  return true;
}

template <Second second>
Result<void> reference_attention(const ReferenceCall& call) {
  TRY(const AttentionPlan plan, plan_of<second>(call));
  const BallView& output = call.output();
  const BallAttention attention(output.dtype, call.profile(), plan.scale);
  const Operands operands = operands_of(call, plan);
  const std::vector<int64_t> to = elements_of(output.layout);
  std::vector<int64_t> second_to;
  if constexpr (second == Second::LogSum) second_to = elements_of(call.output(second_result).layout);
  // Where values broadcast the scores, each of them is made again, and is the same.
  if constexpr (second == Second::Weights)
    second_to = elements_of(*broadcast_to(call.output(second_result).layout, plan.whole_sizes()));
  std::size_t at = 0;
  for (std::size_t batch = 0; batch < operands.query.starts.size(); ++batch) {
    std::vector<std::vector<Factor>> keys;
    for (int64_t k = 0; k < plan.keys; ++k) {
      keys.push_back(row_of(call.input(arg::key), operands.key, batch, k, plan.depth));
    }
    std::vector<std::vector<Factor>> values;
    for (int64_t v = 0; v < plan.value_depth; ++v) {
      values.push_back(column_of(call.input(arg::value), operands.value, batch, v, plan.keys));
    }
    for (int64_t query = 0; query < plan.queries; ++query) {
      const std::vector<Ball> scores = scores_of(call, plan, attention, operands, batch, query, keys);
      const std::vector<Ball> weights = attention.weights(scores);
      for (const std::vector<Factor>& column : values) {
        output.ball(to[at++]) = attention.average(scores, weights, column);
      }
      const auto row = static_cast<int64_t>(batch) * plan.queries + query;
      if constexpr (second == Second::LogSum) {
        const BallView& logs = call.output(second_result);
        logs.ball(second_to[static_cast<std::size_t>(row)]) =
            cast_ball(attention.log_sum(scores), attention.accumulator(), logs.dtype, call.profile());
      }
      if constexpr (second == Second::Weights) {
        for (int64_t k = 0; k < plan.keys; ++k) {
          call.output(second_result).ball(second_to[static_cast<std::size_t>(row * plan.keys + k)]) =
              cast_ball(weights[static_cast<std::size_t>(k)], attention.accumulator(), output.dtype, call.profile());
        }
      }
    }
  }
  return {};
}

// Eager's kernel takes the last dim to lie dense and does not look: of others it reads past the memory. What calls it
// looks first, so that it has no meaning there.
bool may_attend(const TensorMeta& meta, bool kernel) {
  const Layout& layout = meta.layout;
  if (!is_floating(meta.dtype) || layout.rank() < 2 || layout.rank() > 4 || layout.numel() == 0) return false;
  return !kernel || layout.sizes.back() == 1 || layout.strides.back() == 1;
}

// Queries and what can be keys and values for them: the same batches, or heads that theirs divide.
bool may_meet(const TensorMeta& query, const TensorMeta& key, bool kernel) {
  if (!may_attend(query, kernel) || !may_attend(key, kernel) || query.dtype != key.dtype) return false;
  const Dims& q = query.layout.sizes;
  const Dims& k = key.layout.sizes;
  if (q.size() != k.size() || q.back() != k.back() || (kernel && q.size() != 4)) return false;
  const int heads = q.size() - 3;
  for (int dim = 0; dim < heads; ++dim) {
    if (q[dim] != k[dim]) return false;
  }
  return heads < 0 || q[heads] % k[heads] == 0;
}

std::optional<ValueId> pick_mask(const Op& op, const SampleContext& context, const TensorMeta& query,
                                 const TensorMeta& key, bool kernel) {
  const int rank = query.layout.rank();
  Dims scores = query.layout.sizes;
  scores[rank - 1] = key.layout.sizes[rank - 2];
  return context.pick([&](const Candidate&, const TensorMeta& meta) {
    const int own = meta.layout.rank();
    if (own < 2 || (kernel && own != 2 && own != 4) || !broadcast_to(meta.layout, scores)) return false;
    if (meta.dtype == DType::Bool) return !kernel;
    return meta.dtype == query.dtype || (meta.dtype == DType::F32 && op.schema.index_of(arg::attn_mask) >= 0);
  });
}

std::optional<std::vector<Argument>> sample_attention(const Op& op, SampleContext& context) {
  // The kernel alone groups queries without being told to.
  const bool kernel = op.schema.index_of(arg::enable_gqa) < 0;
  const auto pair =
      pick_pair(context, [&](const TensorMeta& query, const TensorMeta& key) { return may_meet(query, key, kernel); });
  if (!pair) return std::nullopt;
  Choices& choices = context.choices();
  const TensorMeta& query = context.meta(pair->first);
  const TensorMeta& key = context.meta(pair->second);
  const auto value = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return meta.dtype == key.dtype && meta.layout.sizes == key.layout.sizes && may_attend(meta, kernel);
  });
  std::vector<Argument> arguments = with_defaults(op, {pair->first, pair->second, *value});
  const auto set = [&](arg name, Argument argument) {
    arguments = with_argument(op, std::move(arguments), name, std::move(argument));
  };
  const auto mask = choices.chance(50) ? pick_mask(op, context, query, key, kernel) : std::nullopt;
  if (mask) set(arg::attn_mask, *mask);
  if (!mask && choices.chance(40)) set(arg::is_causal, Scalar(true));
  if (choices.chance(25)) set(arg::scale, Scalar(static_cast<double>(choices.between(1, 12)) / 8));
  const int rank = query.layout.rank();
  const bool grouped = rank > 2 && query.layout.sizes[rank - 3] != key.layout.sizes[rank - 3];
  if (grouped && !kernel) set(arg::enable_gqa, Scalar(true));
  return arguments;
}

}  // namespace

std::vector<OpDef> attention_family() {
  return {
      {.schema = "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
                 "dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
       .infer = infer_attention,
       .reference = reference_attention<Second::None>,
       .plain = plain_attention<Second::None>,
       .sample = sample_attention},
      {.schema = "_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float "
                 "dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, "
                 "Tensor logsumexp)",
       .infer = infer_kernel,
       .reference = reference_attention<Second::LogSum>,
       .plain = plain_attention<Second::LogSum>,
       .sample = sample_attention},
      {.schema = "_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
                 "float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool "
                 "enable_gqa=False) -> (Tensor, Tensor)",
       .infer = infer_math,
       .reference = reference_attention<Second::Weights>,
       .plain = plain_attention<Second::Weights>,
       .sample = sample_attention},
  };
}

}  // namespace parallax
