// What programs do with dims whose sizes change: dims joined and taken apart again, rows of a table, attention whose
// length grows, the last of a sequence, positions. Each begins with a tensor that is there, since only that has such
// dims.
#include <array>
#include <cmath>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

// Two dims made one, and the old sizes again: what lies between has as many elements at sizes that exchange.
void fold_and_unfold(StructureSite& site) {
  Choices& choices = site.choices();
  const ValueId x = site.any_of_rank(2, 4);
  if (!x.valid()) return;
  const Dims sizes = site.meta(x).layout.sizes;
  const int rank = sizes.size();
  const auto first = choices.between(0, rank - 2);
  ValueId folded;
  if (choices.chance(50)) {
    folded = site.call("aten.flatten.using_ints", {x, Scalar(first), Scalar(first + 1)});
  } else {
    IntList joined(sizes.begin(), sizes.end());
    joined[static_cast<std::size_t>(first)] = -1;
    joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    folded = site.reshape(x, joined);
  }
  if (choices.chance(50)) folded = site.call("aten.relu.default", {folded});
  site.reshape(folded, IntList(sizes.begin(), sizes.end()));
}

// Rows of a table at places that data decide, then rows of all of them below each other.
void rows_of_a_table(StructureSite& site) {
  Choices& choices = site.choices();
  const ValueId x = site.any_of_rank(2, 4);
  if (!x.valid()) return;
  const int64_t width = 2 * choices.between(1, 2);
  const int64_t classes = site.meta(x).layout.sizes.back();
  const ValueId places = site.call("aten.argmax.default", {x, Scalar(int64_t{-1})});
  const ValueId table = site.weights({classes, 2, width});
  const ValueId rows = choices.chance(50)
                           ? site.call("aten.index.Tensor", {table, ValueList{places}})
                           : site.call("aten.embedding.default", {site.reshape(table, {classes, 2 * width}), places});
  site.reshape(rows, {-1, choices.chance(50) ? width : 2 * width});
}

// Attention of a sequence to itself, in heads that are views of it.
void attention_of_a_sequence(StructureSite& site) {
  Choices& choices = site.choices();
  const ValueId drawn = site.any_of_rank(2, 3);
  if (!drawn.valid()) return;
  const bool has_batch = site.meta(drawn).layout.rank() == 3;
  const ValueId x = has_batch ? drawn : site.call("aten.unsqueeze.default", {drawn, Scalar(int64_t{0})});
  if (!x.valid()) return;
  const Dims sizes = site.meta(x).layout.sizes;
  const int64_t heads = choices.between(1, 2);
  const int64_t depth = 2 * choices.between(1, 2);
  const auto projected = [&] {
    const ValueId y = site.call("aten.linear.default", {x, site.weights({heads * depth, sizes[2]})});
    return site.transpose(site.reshape(y, {sizes[0], -1, heads, depth}), 1, 2);
  };
  const ValueId query = projected();
  const ValueId key = choices.chance(30) ? query : projected();
  const ValueId value = choices.chance(30) ? key : projected();
  ValueId mixed;
  if (choices.chance(50)) {
    mixed = site.call("aten.scaled_dot_product_attention.default",
                      {query, key, value, Argument(), Scalar(0.0), Scalar(choices.chance(50))});
  } else {
    ValueId scores = site.call("aten.matmul.default", {query, site.transpose(key, -2, -1)});
    scores = site.scaled(scores, 1 / std::sqrt(static_cast<double>(depth)));
    mixed = site.call("aten.matmul.default", {site.call("aten.softmax.int", {scores, Scalar(int64_t{-1})}), value});
  }
  site.reshape(site.transpose(mixed, 1, 2), {sizes[0], -1, heads * depth});
}

// The last of a sequence, or all but the first of it and something in the place of what was left out.
void last_of_a_sequence(StructureSite& site) {
  Choices& choices = site.choices();
  const ValueId x = site.any_of_rank(2, 4);
  if (!x.valid()) return;
  const Dims sizes = site.meta(x).layout.sizes;
  const int64_t dim = choices.between(0, sizes.size() - 1);
  if (choices.chance(40)) {
    site.call("aten.select.int", {x, Scalar(dim), Scalar(int64_t{-1})});
    return;
  }
  constexpr int64_t end = INT64_MAX;
  const bool drops_first = choices.chance(50);
  const ValueId kept = drops_first ? site.slice(x, dim, 1, end) : site.slice(x, dim, 0, -1);
  const ValueId other = drops_first ? site.slice(x, dim, 0, 1) : site.slice(x, dim, -1, end);
  site.call("aten.cat.default", {drops_first ? ValueList{kept, other} : ValueList{other, kept}, Scalar(dim)});
}

// The mean over a dim as a sum and a quotient, whose divisor is the size.
void mean_by_hand(StructureSite& site) {
  const ValueId x = site.any_of_rank(2, 4);
  if (!x.valid()) return;
  const Dims sizes = site.meta(x).layout.sizes;
  const int64_t dim = site.choices().between(0, sizes.size() - 1);
  const ValueId sum = site.call("aten.sum.dim_IntList", {x, IntList{dim}, Scalar(true)});
  const ValueId mean = site.call("aten.div.Scalar", {sum, Scalar(sizes[static_cast<int>(dim)])});
  site.call("aten.sub.Tensor", {x, mean});
}

// Hides what comes later in a sequence: positions made of the size, compared, and numbers in the place of the hidden.
void hide_the_later(StructureSite& site) {
  const ValueId x = site.any_of_rank(2, 3);
  if (!x.valid()) return;
  const Dims sizes = site.meta(x).layout.sizes;
  const int rank = sizes.size();
  const auto positions = [&](int dim) {
    return site.call("aten.arange.default", {Scalar(sizes[dim])}, {{"dtype", DType::I64}});
  };
  const ValueId rows = site.call("aten.unsqueeze.default", {positions(rank - 2), Scalar(int64_t{1})});
  const ValueId later = site.call("aten.gt.Tensor", {positions(rank - 1), rows});
  const ValueId hidden = site.call("aten.masked_fill.Scalar", {x, later, Scalar(-3.0e4)});
  site.call("aten.softmax.int", {hidden, Scalar(int64_t{-1})});
}

// Each of a line beside each: a row and a column of it, which have as many elements at one size as their result at
// another.
void all_pairs_of_a_line(StructureSite& site) {
  static constexpr std::array<std::string_view, 5> ops = {"aten.sub.Tensor", "aten.sub.Tensor", "aten.mul.Tensor",
                                                          "aten.add.Tensor", "aten.le.Tensor"};
  Choices& choices = site.choices();
  const ValueId x = site.any_of_rank(1, 3);
  if (!x.valid()) return;
  const ValueId column = site.call("aten.unsqueeze.default", {x, Scalar(int64_t{-1})});
  const ValueId row = site.call("aten.unsqueeze.default", {x, Scalar(int64_t{-2})});
  const std::string_view op = choices.pick(ops);
  choices.chance(50) ? site.call(op, {row, column}) : site.call(op, {column, row});
}

}  // namespace

std::span<const Structure> dynamic_structures() {
  static constexpr std::array structures = {
      Structure{"fold and unfold", fold_and_unfold},
      Structure{"rows of a table", rows_of_a_table},
      Structure{"attention of a sequence", attention_of_a_sequence},
      Structure{"last of a sequence", last_of_a_sequence},
      Structure{"mean by hand", mean_by_hand},
      Structure{"hide the later", hide_the_later},
      Structure{"all pairs of a line", all_pairs_of_a_line},
  };
  return structures;
}

}  // namespace parallax
