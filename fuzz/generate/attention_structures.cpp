// Attention in the forms that exporters write it in, the caches it reads, and rotary embeddings.
#include <array>
#include <cmath>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

struct Heads {
  int64_t batch = 1;
  int64_t queries = 1;  // heads of the queries; those of keys and values divide them
  int64_t keys = 1;
  int64_t length = 1;  // of the queries
  int64_t depth = 2;   // of a head
};

Heads draw_heads(StructureSite& site, int64_t length) {
  Choices& choices = site.choices();
  Heads heads;
  heads.batch = choices.between(1, 2);
  heads.keys = choices.between(1, 2);
  heads.queries = heads.keys * choices.between(1, 2);
  heads.length = length;
  heads.depth = 2 * choices.between(1, 2);
  return heads;
}

// Keys or values for every head of the queries, as a view that is made whole.
ValueId repeated(StructureSite& site, ValueId x, const Heads& heads, int64_t length) {
  const int64_t group = heads.queries / heads.keys;
  if (group == 1) return x;
  if (site.choices().chance(40))
    return site.call("aten.repeat_interleave.self_int", {x, Scalar(group), Scalar(int64_t{1})});
  const ValueId apart = site.call("aten.unsqueeze.default", {x, Scalar(int64_t{2})});
  const ValueId wide =
      site.call("aten.expand.default", {apart, IntList{heads.batch, heads.keys, group, length, heads.depth}});
  return site.reshape(wide, {heads.batch, heads.queries, length, heads.depth});
}

// Attention over `length` keys, by its own op or as its parts.
ValueId attend(StructureSite& site, ValueId q, ValueId k, ValueId v, const Heads& heads, int64_t length) {
  Choices& choices = site.choices();
  k = repeated(site, k, heads, length);
  v = repeated(site, v, heads, length);
  const bool masked = choices.chance(40);
  const bool boolean = choices.chance(50);
  ValueId mask;
  if (masked && boolean) mask = site.source(SourceKind::Input, DType::Bool, {heads.length, length});
  if (masked && !boolean) mask = site.input({heads.length, length});
  const bool causal = !masked && choices.chance(40);
  if (choices.chance(50)) {
    const Argument of_mask = masked ? Argument(mask) : Argument();
    return site.call("aten.scaled_dot_product_attention.default", {q, k, v, of_mask, Scalar(0.0), Scalar(causal)});
  }
  ValueId scores = site.call("aten.matmul.default", {q, site.transpose(k, -2, -1)});
  scores = site.call("aten.div.Scalar", {scores, Scalar(std::sqrt(static_cast<double>(heads.depth)))});
  if (choices.chance(25)) {  // a soft cap
    scores = site.call("aten.tanh.default", {site.call("aten.div.Scalar", {scores, Scalar(5.0)})});
    scores = site.scaled(scores, 5);
  }
  if (masked && !boolean) scores = site.sum(scores, mask);
  constexpr double nothing = -3.0e4;  // a number that every floating dtype has
  if (masked && boolean) {
    const ValueId hidden = site.call("aten.logical_not.default", {mask});
    scores = site.call("aten.masked_fill.Scalar", {scores, hidden, Scalar(nothing)});
  }
  const ValueId weights = site.call("aten.softmax.int", {scores, Scalar(int64_t{-1})});
  return site.call("aten.matmul.default", {weights, v});
}

// Projections of a residual stream, heads as views of them, attention, and the way back into the stream.
void attention_block(StructureSite& site) {
  const Heads heads = draw_heads(site, site.choices().between(1, 4));
  const int64_t width = heads.queries * heads.depth;
  const ValueId x = site.activations({heads.batch, heads.length, width});
  const auto projected = [&](int64_t count) {
    const ValueId y = site.call("aten.linear.default", {x, site.weights({count * heads.depth, width})});
    const ValueId apart = site.call("aten.view.default", {y, IntList{heads.batch, heads.length, count, heads.depth}});
    return site.transpose(apart, 1, 2);
  };
  const ValueId q = projected(heads.queries);
  const ValueId k = projected(heads.keys);
  // One tensor in two roles is what shared projections come to.
  const ValueId v = site.choices().chance(20) ? k : projected(heads.keys);
  const ValueId y = attend(site, q, k, v, heads, heads.length);
  const ValueId joined = site.reshape(site.transpose(y, 1, 2), {heads.batch, heads.length, width});
  if (site.choices().chance(50)) {
    site.sum(x, joined);
  } else {
    site.call("aten.add_.Tensor", {joined, x});
  }
}

// The cache after a write of `fresh` at one place of dim 2, in one of the ways that people write it.
ValueId write_cache(StructureSite& site, ValueId cache, ValueId fresh, ValueId place, int64_t length) {
  static constexpr std::array<uint32_t, 5> ways = {3, 3, 3, 2, 2};
  Choices& choices = site.choices();
  switch (choices.weighted(ways)) {
    case 0:
      return site.call("aten.index_put_.default", {cache, ValueList{ValueId(), ValueId(), place}, fresh});
    case 1:
      return site.call("aten.index_copy_.default", {cache, Scalar(int64_t{2}), place, fresh});
    case 2: {
      const int64_t at = choices.between(0, length - 1);
      const ValueId window = site.slice(cache, 2, at, at + 1);
      site.call("aten.copy_.default", {window, fresh});
      return cache;
    }
    case 3: {
      const ValueId rolled = site.call("aten.roll.default", {cache, IntList{-1}, IntList{2}});
      site.call("aten.copy_.default", {cache, rolled});
      site.call("aten.copy_.default", {site.slice(cache, 2, length - 1, length), fresh});
      return cache;
    }
    default: {
      const ValueId kept = site.slice(cache, 2, 1, length);
      const ValueId moved = site.call("aten.cat.default", {ValueList{kept, fresh}, Scalar(int64_t{2})});
      return moved.valid() ? site.call("aten.copy_.default", {cache, moved}) : ValueId();
    }
  }
}

// One step of decoding: keys and values go into caches, which attention reads after the write, or before it, or as a
// view that was taken before it. Two layers may share a cache.
void cached_attention(StructureSite& site) {
  Choices& choices = site.choices();
  const Heads heads = draw_heads(site, 1);
  const int64_t length = choices.between(2, 4);
  const Dims held = {heads.batch, heads.keys, length, heads.depth};
  const Dims step = {heads.batch, heads.keys, 1, heads.depth};
  const ValueId keys = site.state(held);
  const ValueId values = choices.chance(15) ? keys : site.state(held);
  const ValueId place = site.source(SourceKind::Input, DType::I64, {1});
  const int layers = choices.chance(25) ? 2 : 1;
  for (int layer = 0; layer < layers; ++layer) {
    const ValueId q = site.activations({heads.batch, heads.queries, 1, heads.depth});
    const ValueId early = site.slice(keys, 2, 0, length);
    ValueId before;
    if (choices.chance(30)) before = site.call("aten.clone.default", {keys});
    const ValueId k = write_cache(site, keys, site.activations(step), place, length);
    const ValueId v = write_cache(site, values, site.activations(step), place, length);
    static constexpr std::array<uint32_t, 3> reads = {6, 2, 2};
    const std::array<ValueId, 3> read = {k, early, before.valid() ? before : k};
    attend(site, q, read[choices.weighted(reads)], v, heads, length);
  }
}

// A cache that grows: a longer one is made, and handed back.
void growing_cache(StructureSite& site) {
  const Heads heads = draw_heads(site, 1);
  const int64_t length = site.choices().between(1, 3);
  const ValueId held = site.input({heads.batch, heads.keys, length, heads.depth});
  const ValueId fresh = site.activations({heads.batch, heads.keys, 1, heads.depth});
  const ValueId longer = site.call("aten.cat.default", {ValueList{held, fresh}, Scalar(int64_t{2})});
  const ValueId q = site.activations({heads.batch, heads.queries, 1, heads.depth});
  attend(site, q, longer, longer, heads, length + 1);
}

// A ring that a counter of the state goes round in.
void ring_cache(StructureSite& site) {
  const Heads heads = draw_heads(site, 1);
  const int64_t length = site.choices().between(2, 4);
  const ValueId held = site.state({heads.batch, heads.keys, length, heads.depth});
  const ValueId counter = site.source(SourceKind::Buffer, DType::I64, {});
  const ValueId now = site.call("aten.add_.Scalar", {counter, Scalar(int64_t{1})});
  const ValueId place = site.reshape(site.call("aten.remainder.Scalar", {now, Scalar(length)}), {1});
  const ValueId fresh = site.activations({heads.batch, heads.keys, 1, heads.depth});
  const ValueId k = site.call("aten.index_copy_.default", {held, Scalar(int64_t{2}), place, fresh});
  const ValueId q = site.activations({heads.batch, heads.queries, 1, heads.depth});
  attend(site, q, k, k, heads, length);
}

// Rotary embeddings: halves as two views of one tensor, or every second element.
void rotary(StructureSite& site) {
  Choices& choices = site.choices();
  const Heads heads = draw_heads(site, choices.between(1, 3));
  const int64_t half = heads.depth / 2;
  const ValueId x = site.activations({heads.batch, heads.queries, heads.length, heads.depth});
  const int64_t places = heads.length + 2;
  const ValueId at = site.source(SourceKind::Input, DType::I64, {heads.length});
  const auto table = [&] {
    const ValueId whole = site.state({places, half});
    return choices.chance(50) ? site.call("aten.index.Tensor", {whole, ValueList{at}})
                              : site.slice(whole, 0, 1, 1 + heads.length);
  };
  const ValueId cosine = table();
  const ValueId sine = table();
  const bool interleaved = choices.chance(40);
  const int64_t step = interleaved ? 2 : 1;
  const ValueId a = site.slice(x, -1, 0, interleaved ? heads.depth : half, step);
  const ValueId b = site.slice(x, -1, interleaved ? 1 : half, heads.depth, step);
  const ValueId first = site.call("aten.sub.Tensor", {site.multiply(a, cosine), site.multiply(b, sine)});
  const ValueId second = site.sum(site.multiply(b, cosine), site.multiply(a, sine));
  if (!first.valid() || !second.valid()) return;
  if (interleaved) {
    const ValueId pairs = site.call("aten.stack.default", {ValueList{first, second}, Scalar(int64_t{-1})});
    site.call("aten.flatten.using_ints", {pairs, Scalar(int64_t{-2})});
  } else if (choices.chance(50)) {
    site.call("aten.cat.default", {ValueList{first, second}, Scalar(int64_t{-1})});
  } else {
    // Into a copy of the operand, half by half.
    const ValueId result = site.call("aten.clone.default", {x});
    site.call("aten.copy_.default", {site.slice(result, -1, 0, half), first});
    site.call("aten.copy_.default", {site.slice(result, -1, half, heads.depth), second});
  }
}

}  // namespace

std::span<const Structure> attention_structures() {
  static constexpr std::array structures = {
      Structure{"attention block", attention_block}, Structure{"cached attention", cached_attention},
      Structure{"growing cache", growing_cache},     Structure{"ring cache", ring_cache},
      Structure{"rotary embedding", rotary},
  };
  return structures;
}

}  // namespace parallax
