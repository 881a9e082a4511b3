// What fusions look for: activations behind one another and behind what makes their operand, layers with what is next
// to them, and pairs of calls that come to one or to none.
#include <array>
#include <cmath>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

// A fusion writes one call in place of several, and does not always ask whether there is a kernel of that dtype.
DType fused_dtype(StructureSite& site) {
  static constexpr std::array others = {DType::F64, DType::F16, DType::BF16, DType::F32};
  return site.choices().chance(60) ? site.dtype() : site.choices().pick(others);
}

ValueId fused_operand(StructureSite& site, DType dtype, const Dims& sizes) {
  return dtype == site.dtype() ? site.activations(sizes) : site.source(SourceKind::Input, dtype, sizes);
}

ValueId clamped(StructureSite& site, ValueId x) {
  switch (site.choices().below(3)) {
    case 0:
      return site.call("aten.clamp.default", {x, Scalar(0.0), Scalar(1.0)});
    case 1:
      return site.call("aten.clamp.default", {x, Scalar(-0.5), Scalar(0.75)});
    default:
      return site.call("aten.clamp.default", {x, std::monostate(), Scalar(1.0)});
  }
}

ValueId activated(StructureSite& site, ValueId x) {
  static constexpr std::array<std::string_view, 8> plain = {
      "aten.sigmoid.default",    "aten.tanh.default", "aten.silu.default", "aten.hardswish.default",
      "aten.leaky_relu.default", "aten.gelu.default", "aten.abs.default",  "aten.hardtanh.default"};
  const int64_t kind = site.choices().below(10);
  if (kind < 4) return site.call("aten.relu.default", {x});
  return kind < 6 ? clamped(site, x) : site.call(site.choices().pick(plain), {x});
}

// Something else that reads a value, so that it is still needed where it was fused away.
void read_too(StructureSite& site, ValueId x) {
  if (site.choices().chance(25)) site.call("aten.neg.default", {x});
}

void activations_in_a_row(StructureSite& site) {
  const DType dtype = fused_dtype(site);
  const ValueId first = activated(site, fused_operand(site, dtype, site.small_sizes()));
  read_too(site, first);
  const ValueId second = site.choices().chance(50) ? clamped(site, first) : activated(site, first);
  if (site.choices().chance(25)) activated(site, second);
}

void activated_arithmetic(StructureSite& site) {
  const DType dtype = fused_dtype(site);
  const Dims sizes = site.small_sizes();
  const ValueId a = fused_operand(site, dtype, sizes);
  const ValueId b = fused_operand(site, dtype, sizes);
  ValueId made;
  switch (site.choices().below(5)) {
    case 0:
      made = site.sum(a, b);
      break;
    case 1:
      made = site.call("aten.add.Tensor", {a, b}, {{"alpha", Scalar(int64_t{2})}});
      break;
    case 2:
      made = site.call("aten.sub.Tensor", {a, b}, {{"alpha", Scalar(int64_t{3})}});
      break;
    case 3:
      made = site.call("aten.div.Tensor", {a, b});
      break;
    default:
      made = site.multiply(a, b);
  }
  read_too(site, made);
  activated(site, made);
}

// x * sigmoid(x) and its kin, which exporters write out and runtimes put together again.
void written_out_activation(StructureSite& site) {
  const ValueId x = fused_operand(site, fused_dtype(site), site.small_sizes());
  ValueId gate;
  switch (site.choices().below(3)) {
    case 0:
      gate = site.call("aten.sigmoid.default", {x});
      break;
    case 1:
      gate = site.call("aten.hardsigmoid.default", {x});
      break;
    default:
      gate = site.call("aten.tanh.default", {site.call("aten.softplus.default", {x})});
  }
  read_too(site, gate);
  if (site.choices().chance(50)) {
    site.multiply(x, gate);
  } else {
    site.multiply(gate, x);
  }
}

// A window over a picture, padded before or by itself, with a bias or a residual and an activation behind it.
void layer_over_a_picture(StructureSite& site) {
  Choices& choices = site.choices();
  const DType dtype = site.dtype();
  const int64_t channels = choices.between(1, 3);
  const int64_t side = choices.between(3, 5);
  ValueId x = site.activations({1, channels, side, side});
  const bool pads_before = choices.chance(40);
  const int64_t below = pads_before ? choices.between(0, 2) : 1;
  if (pads_before) {
    const IntList pads = {1, 1, below, below};
    x = site.call("aten.constant_pad_nd.default", {x, pads, Scalar(choices.chance(70) ? 0.0 : 0.5)});
  }
  const int64_t padding = pads_before ? 0 : 1;
  ValueId made;
  switch (choices.below(4)) {
    case 0:
      made = site.call("aten.avg_pool2d.default", {x, IntList{2, 2}, IntList{1, 1}, IntList{padding, 0}, Scalar(false),
                                                   Scalar(choices.chance(50))});
      break;
    case 1:
      made = site.call("aten.max_pool2d.default", {activated(site, x), IntList{2, 2}, IntList{1, 1}});
      break;
    default: {
      const ValueId bias = choices.chance(50) ? site.weights({channels}) : ValueId();
      const Argument given = bias.valid() ? Argument(bias) : Argument();
      made = site.call("aten.conv2d.default",
                       {x, site.weights({channels, channels, 3, 3}), given, IntList{1, 1}, IntList{padding, padding}});
    }
  }
  read_too(site, made);
  if (made.valid() && choices.chance(40)) {
    const Dims sizes = site.meta(made).layout.sizes;
    made = site.sum(made, fused_operand(site, dtype, sizes));
  }
  activated(site, made);
}

// A matrix of those sizes as a view of one that is transposed, or that a permutation moves nothing of.
ValueId permuted_matrix(StructureSite& site, int64_t rows, int64_t width) {
  Choices& choices = site.choices();
  const bool moves = choices.chance(25);
  const Dims sizes = moves ? Dims{width, rows} : Dims{rows, width};
  const ValueId x = choices.chance(50) ? site.weights(sizes) : site.activations(sizes);
  if (moves) return site.call("aten.t.default", {x});
  if (rows == 1 && width == 1 && choices.chance(50)) return site.call("aten.t.default", {x});
  if (choices.chance(60)) return site.call("aten.permute.default", {x, IntList{0, 1}});
  const int64_t dim = choices.between(-2, 1);
  return site.transpose(x, dim, dim);
}

// A product whose operand is transposed, or permuted so that nothing moves, with what runtimes take into a Gemm.
void product_of_a_permuted_operand(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(1, 3);
  const int64_t inner = choices.chance(50) ? rows : choices.between(1, 3);
  const int64_t width = choices.chance(50) ? rows : choices.between(1, 3);
  const ValueId a = choices.chance(30) ? permuted_matrix(site, rows, inner) : site.activations({rows, inner});
  ValueId made;
  switch (choices.below(5)) {
    case 0:
      made = site.call("aten.mm.default", {a, permuted_matrix(site, inner, width)});
      break;
    case 1:
      made = site.call("aten.matmul.default", {a, permuted_matrix(site, inner, width)});
      break;
    case 2:
      made = site.call("aten.addmm.default", {site.weights({width}), a, permuted_matrix(site, inner, width)});
      break;
    case 3: {
      const Argument bias = choices.chance(50) ? Argument(site.weights({width})) : Argument();
      made = site.call("aten.linear.default", {a, permuted_matrix(site, width, inner), bias});
      break;
    }
    default: {
      const ValueId b = site.call("aten.permute.default", {site.weights({2, inner, width}), IntList{0, 1, 2}});
      made = site.call("aten.bmm.default", {site.activations({2, rows, inner}), b});
    }
  }
  if (choices.chance(30)) made = site.scaled(made, 0.5);
  if (choices.chance(60)) made = site.sum(made, site.weights({width}));
  if (choices.chance(60)) activated(site, made);
}

// There and back, or twice in one direction.
void pair_that_cancels(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(2, 3);
  const int64_t width = choices.between(2, 3);
  const ValueId x = site.activations({rows, width});
  const auto twice = [&](std::string_view op, const std::vector<Argument>& rest) {
    ValueId y = x;
    for (int64_t k = choices.between(2, 4); k > 0; --k) {
      std::vector<Argument> arguments = {y};
      arguments.insert(arguments.end(), rest.begin(), rest.end());
      y = site.call(op, std::move(arguments));
    }
    return y;
  };
  ValueId y;
  switch (choices.below(6)) {
    case 0:
      y = site.call("aten._to_copy.default", {x}, {{"dtype", choices.chance(50) ? DType::F64 : DType::F16}});
      y = site.call("aten._to_copy.default", {y}, {{"dtype", site.dtype()}});
      break;
    case 1:
      y = site.reshape(site.reshape(x, {width, rows}), {rows, width});
      break;
    case 2:
      y = twice("aten.t.default", {});
      break;
    case 3:
      y = twice("aten.flip.default", {IntList{choices.between(0, 1)}});
      break;
    case 4:
      y = site.call("aten.squeeze.dim",
                    {site.call("aten.unsqueeze.default", {x, Scalar(int64_t{1})}), Scalar(int64_t{1})});
      break;
    default:
      y = twice("aten.neg.default", {});
  }
  if (choices.chance(70)) site.sum(y, y);
}

// A reduction of a product, and what is added to it, of the dims that are left.
void reduction_and_bias(StructureSite& site) {
  Choices& choices = site.choices();
  const Dims sizes = {choices.between(1, 2), choices.between(2, 4), choices.between(2, 4)};
  const int64_t dim = choices.between(1, 2);
  const int64_t left = sizes[dim == 1 ? 2 : 1];
  static constexpr std::array<std::string_view, 2> reductions = {"aten.sum.dim_IntList", "aten.mean.dim"};
  const ValueId product = site.multiply(site.activations(sizes), site.weights({sizes[1], sizes[2]}));
  const ValueId reduced = site.call(choices.pick(reductions), {product, IntList{dim == 2 ? -1 : dim}});
  read_too(site, reduced);
  activated(site, site.sum(reduced, site.weights({left})));
}

// A tensor of those sizes as a view of one whose dims lie in another order.
ValueId seen_as(StructureSite& site, const Dims& sizes, const IntList& order) {
  Dims held = sizes;
  for (int dim = 0; dim < sizes.size(); ++dim)
    held[static_cast<int>(order[static_cast<std::size_t>(dim)])] = sizes[dim];
  return site.call("aten.permute.default", {site.activations(held), order});
}

// Attention as programs write it: heads are permuted views, and its scale is a number beside a tensor, as Python leaves
// it. Patterns that look for a transposed key, or for the usual scale, may take another for it.
void attention_over_permuted_views(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t length = choices.between(2, 4);
  const int64_t heads = choices.chance(50) ? length : choices.between(1, 3);
  const int64_t depth = choices.between(2, 4);
  const Dims sizes = {choices.between(1, 2), heads, length, depth};
  static const IntList usual = {0, 2, 1, 3};
  static const std::array<IntList, 4> key_orders = {IntList{0, 2, 3, 1}, IntList{0, 1, 3, 2}, IntList{0, 3, 2, 1},
                                                    IntList{0, 3, 1, 2}};
  const auto scaled = [&](ValueId x) {
    static constexpr std::array<std::string_view, 2> scalings = {"aten.mul.Tensor", "aten.div.Tensor"};
    const double root = std::sqrt(static_cast<double>(depth));
    const std::array scales = {root, 1 / root, 0.5, 2.0, static_cast<double>(depth), 0.125};
    return site.call(choices.pick(scalings), {x, Scalar(choices.pick(scales))});
  };
  ValueId q = seen_as(site, sizes, usual);
  const Dims of_keys = {sizes[0], heads, depth, length};
  const ValueId k = choices.chance(50) ? seen_as(site, of_keys, choices.pick(key_orders))
                                       : site.transpose(seen_as(site, sizes, usual), -2, -1);
  const bool scales_queries = choices.chance(15);
  if (scales_queries) q = scaled(q);
  ValueId scores = site.call("aten.matmul.default", {q, k});
  if (!scales_queries && choices.chance(90)) scores = scaled(scores);
  if (choices.chance(40)) scores = site.sum(scores, site.input({1, 1, length, length}));
  const ValueId weights = site.call("aten.softmax.int", {scores, Scalar(int64_t{-1})});
  read_too(site, weights);
  site.call("aten.matmul.default", {weights, seen_as(site, sizes, usual)});
}

// A vector beside a row of one more dim or two, which has as many elements, or beside a column.
void operands_of_two_ranks(StructureSite& site) {
  static constexpr std::array<std::string_view, 8> ops = {"aten.add.Tensor", "aten.sub.Tensor",     "aten.mul.Tensor",
                                                          "aten.div.Tensor", "aten.le.Tensor",      "aten.lt.Tensor",
                                                          "aten.eq.Tensor",  "aten.maximum.default"};
  Choices& choices = site.choices();
  const int64_t length = choices.between(1, 6);
  const std::array<Dims, 3> others = {Dims{1, length}, Dims{1, 1, length}, Dims{choices.between(1, 4), 1}};
  const ValueId a = site.activations({length});
  const ValueId b = site.activations(choices.pick(others));
  const std::string_view op = choices.pick(ops);
  choices.chance(50) ? site.call(op, {a, b}) : site.call(op, {b, a});
}

// The place of the least or the greatest of a transposed view of what was written in place: it is counted in the view's
// order, not in memory's.
void place_in_a_transposed_write(StructureSite& site) {
  static constexpr std::array<std::string_view, 4> writes = {"aten.tan_.default", "aten.neg_.default",
                                                             "aten.sin_.default", "aten.sigmoid_.default"};
  Choices& choices = site.choices();
  ValueId x = site.activations({choices.between(2, 4), choices.between(2, 6)});
  if (choices.chance(40)) x = site.call("aten.clone.default", {x});
  const ValueId written = site.call(choices.pick(writes), {x});
  const ValueId view = choices.chance(50) ? site.call("aten.t.default", {written}) : site.transpose(written, 0, 1);
  site.call(choices.chance(50) ? "aten.argmin.default" : "aten.argmax.default", {view});
}

// What a tensor holds put into a copy of it at other places. The tensor is not an input, which no compiler writes, so
// that the copy may be left out.
void put_into_itself(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(2, 4);
  const Dims sizes = choices.chance(50) ? Dims{rows} : Dims{rows, choices.between(1, 4)};
  const ValueId x = site.scaled(site.activations(sizes), 2);
  const ValueId at = site.source(SourceKind::Input, DType::I64, {rows});
  if (choices.chance(30)) {
    site.call("aten.index_copy.default", {x, Scalar(int64_t{0}), at, x});
  } else {
    site.call("aten.index_put.default", {x, ValueList{at}, x, Scalar(choices.chance(30))});
  }
}

// x[i] += x[i], as Python takes it apart, where i has a place more than once.
void write_back_through_an_index(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(1, 2);
  const ValueId x = site.call("aten.clone.default", {site.activations({rows, choices.between(1, 4)})});
  const ValueId at = site.source(SourceKind::Input, DType::I64, {rows + 1});
  const ValueId read = site.call("aten.index.Tensor", {x, ValueList{at}});
  const ValueId again = site.call("aten.index.Tensor", {x, ValueList{at}});
  static constexpr std::array<std::string_view, 2> ops = {"aten.add_.Tensor", "aten.mul_.Tensor"};
  const ValueId written = site.call(choices.pick(ops), {read, again});
  site.call("aten.index_put_.default", {x, ValueList{at}, written});
}

}  // namespace

std::span<const Structure> fusion_structures() {
  static constexpr std::array structures = {
      Structure{"activations in a row", activations_in_a_row},
      Structure{"activated arithmetic", activated_arithmetic},
      Structure{"written out activation", written_out_activation},
      Structure{"layer over a picture", layer_over_a_picture},
      Structure{"product of a permuted operand", product_of_a_permuted_operand},
      Structure{"pair that cancels", pair_that_cancels},
      Structure{"reduction and bias", reduction_and_bias},
      Structure{"attention over permuted views", attention_over_permuted_views},
      Structure{"operands of two ranks", operands_of_two_ranks},
      Structure{"place in a transposed write", place_in_a_transposed_write},
      Structure{"put into itself", put_into_itself},
      Structure{"write back through an index", write_back_through_an_index},
  };
  return structures;
}

}  // namespace parallax
