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

Dims fused_sizes(StructureSite& site) {
  Dims sizes;
  for (int64_t rank = site.choices().between(1, 3); rank > 0; --rank) sizes.push_back(site.choices().between(1, 5));
  return sizes;
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
  const ValueId first = activated(site, fused_operand(site, dtype, fused_sizes(site)));
  read_too(site, first);
  const ValueId second = site.choices().chance(50) ? clamped(site, first) : activated(site, first);
  if (site.choices().chance(25)) activated(site, second);
}

void activated_arithmetic(StructureSite& site) {
  const DType dtype = fused_dtype(site);
  const Dims sizes = fused_sizes(site);
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
  const ValueId x = fused_operand(site, fused_dtype(site), fused_sizes(site));
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

// A product whose operand is transposed, or permuted so that nothing moves, with what runtimes take into a Gemm.
void product_of_a_permuted_operand(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(2, 3);
  const int64_t width = choices.between(2, 3);
  const ValueId a = site.activations({rows, width});
  const bool moves = choices.chance(50);
  const ValueId weights = site.weights(moves ? Dims{rows, width} : Dims{width, rows});
  const ValueId b = site.call("aten.permute.default", {weights, moves ? IntList{1, 0} : IntList{0, 1}});
  ValueId made = site.call("aten.mm.default", {a, b});
  if (choices.chance(30)) made = site.scaled(made, 0.5);
  if (choices.chance(60)) made = site.sum(made, site.weights({rows}));
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

// Attention as programs write it: heads are permuted views, and its scale is a number beside a tensor, as Python leaves
// it. Patterns that look for a transposed key, or for the usual scale, may take another for it.
void attention_over_permuted_views(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t length = choices.between(2, 4);
  const int64_t heads = choices.chance(50) ? length : choices.between(1, 3);
  const int64_t depth = choices.between(2, 4);
  const Dims sizes = {choices.between(1, 2), length, heads, depth};
  const auto seen = [&](const IntList& dims) {
    return site.call("aten.permute.default", {site.activations(sizes), dims});
  };
  const ValueId q = seen({0, 2, 1, 3});
  const ValueId k = choices.chance(40) ? seen({0, 2, 3, 1}) : site.transpose(seen({0, 2, 1, 3}), -2, -1);
  ValueId scores = site.call("aten.matmul.default", {q, k});
  if (choices.chance(80)) {
    static constexpr std::array<std::string_view, 2> scalings = {"aten.mul.Tensor", "aten.div.Tensor"};
    const double root = std::sqrt(static_cast<double>(depth));
    const std::array scales = {root, 1 / root, 0.5};
    scores = site.call(choices.pick(scalings), {scores, Scalar(choices.pick(scales))});
  }
  if (choices.chance(40)) scores = site.sum(scores, site.input({1, 1, length, length}));
  const ValueId weights = site.call("aten.softmax.int", {scores, Scalar(int64_t{-1})});
  read_too(site, weights);
  site.call("aten.matmul.default", {weights, seen({0, 2, 1, 3})});
}

// A vector beside a row of one more dim or two: as many elements, and another rank.
void operands_of_two_ranks(StructureSite& site) {
  static constexpr std::array<std::string_view, 8> ops = {"aten.add.Tensor", "aten.sub.Tensor",     "aten.mul.Tensor",
                                                          "aten.div.Tensor", "aten.le.Tensor",      "aten.lt.Tensor",
                                                          "aten.eq.Tensor",  "aten.maximum.default"};
  Choices& choices = site.choices();
  const int64_t length = choices.between(1, 6);
  const Dims row = choices.chance(50) ? Dims{1, length} : Dims{1, 1, length};
  const ValueId a = site.activations({length});
  const ValueId b = site.activations(row);
  const std::string_view op = choices.pick(ops);
  choices.chance(50) ? site.call(op, {a, b}) : site.call(op, {b, a});
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
      Structure{"write back through an index", write_back_through_an_index},
  };
  return structures;
}

}  // namespace parallax
