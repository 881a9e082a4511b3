// Attention as two products and a softmax between them.
#include <array>
#include <cmath>

#include "compiler/decomposition.h"
#include "core/limits.h"

namespace parallax {
namespace {

// Each head of keys or values, once for each of its queries' heads.
Term with_heads_of(Composer& c, Term x, const Dims& queries) {
  const Dims own = c.sizes(x);
  const int heads = own.size() - 3;
  if (heads < 0 || queries.size() < 3) return x;
  const int64_t group = own[heads] == 0 ? 1 : queries[queries.size() - 3] / own[heads];
  if (group <= 1) return x;
  Dims repeated = own;
  repeated.insert(heads + 1, group);
  const Term apart = unsqueezed(x, heads + 1);
  Dims joined = own;
  joined[heads] *= group;
  return viewed(c.call("aten.expand.default", {apart.value, IntList(repeated.begin(), repeated.end())}), joined);
}

// Queries by keys: whether the key comes after the query.
Term is_later(Composer& c, int64_t queries, int64_t keys) {
  const auto places = [&](int64_t count, const Dims& sizes) {
    return viewed(c.call("aten.arange.start_step", {Scalar(int64_t{0}), Scalar(count), Scalar(int64_t{1})}), sizes);
  };
  return greater(places(keys, {1, keys}) - places(queries, {queries, 1}), 0);
}

struct Attention {
  Term weights;
  Term average;
  Term log_sum;
};

Term masked(Composer& c, Term scores) {
  const Dims sizes = c.sizes(scores);
  const auto nothing = [&] { return c.number(-infinity, c.computed_in()); };
  if (c.boolean(arg::is_causal)) {
    scores = choose(is_later(c, sizes[sizes.size() - 2], sizes.back()), nothing(), scores);
  }
  if (!c.has(arg::attn_mask)) return scores;
  const Term mask = c.raw(arg::attn_mask);
  // The formula is given numbers, and takes bools for 0 and 1.
  const bool keeps = c.meta(mask).dtype == DType::Bool && !c.takes(arg::dropout_mask);
  if (keeps) return choose(mask, scores, nothing());
  return scores + c.cast(mask, c.computed_in());
}

// A row whose keys are all masked has weights of 0, and eager a logarithm of 0 for it.
Attention attention_of(Composer& c, bool grouped, bool wants_logs) {
  const Term query = c.operand(arg::query);
  const Dims queries = c.sizes(query);
  const auto of_heads = [&](arg name) {
    const Term x = c.operand(name);
    return grouped ? with_heads_of(c, x, queries) : x;
  };
  const Term key = of_heads(arg::key);
  const Term value = of_heads(arg::value);
  // Without elements every score is 0.
  const double own_scale = queries.back() == 0 ? 1 : 1 / std::sqrt(static_cast<double>(queries.back()));
  const double scale = c.has(arg::scale) ? c.real(arg::scale) : own_scale;
  const Term scores = masked(c, multiplied(query, swapped(key, -1, -2)) * scale);
  const Term most = largest(scores, {-1});
  const Term is_masked = equal(most, -infinity);
  const Term zero = c.number(0, c.computed_in());
  const Term exponential = apply("exp", scores - choose(is_masked, zero, most));
  const Term sum = total(exponential, {-1});
  const Term divisor = choose(is_masked, c.number(1, c.computed_in()), sum);
  const Term weights = exponential / divisor;
  Attention result{weights, multiplied(weights, value), {}};
  if (wants_logs) result.log_sum = apply("log", divisor) + choose(is_masked, zero, most);
  return result;
}

// Whether that result has elements that scores decide: there may be weights beside an average without elements.
bool has_scores(Composer& c, std::size_t result) {
  const Dims key = c.meta(c.raw(arg::key)).layout.sizes;
  return c.result(result).layout.numel() > 0 && key[key.size() - 2] > 0;
}

// An average of no values is 0.
Term nothing(Composer& c, std::size_t result) {
  return c.full(c.result(result).layout.sizes, int64_t{0}, c.result(result).dtype);
}

Terms attention(Composer& c) {
  if (!has_scores(c, 0)) return {nothing(c, 0)};
  return {attention_of(c, c.boolean(arg::enable_gqa), false).average};
}

Terms attention_with_weights(Composer& c) {
  if (!has_scores(c, 1)) return {nothing(c, 0), nothing(c, 1)};
  const Attention parts = attention_of(c, c.boolean(arg::enable_gqa), false);
  return {parts.average, parts.weights};
}

Terms attention_with_logs(Composer& c) {
  if (!has_scores(c, 0)) return {nothing(c, 0), nothing(c, 1)};
  const Attention parts = attention_of(c, true, true);
  return {parts.average, viewed(parts.log_sum, c.result(1).layout.sizes)};
}

constexpr std::array attention_rows = {
    Decomposition{"aten.scaled_dot_product_attention.default", attention},
    Decomposition{"aten._scaled_dot_product_attention_math.default", attention_with_weights},
    Decomposition{"aten._scaled_dot_product_flash_attention_for_cpu.default", attention_with_logs},
};

}  // namespace

DecompositionTable::Rows attention_decompositions() { return attention_rows; }

}  // namespace parallax
