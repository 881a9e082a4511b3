// Quantized structures: pairs of quantize and dequantize as quantizers put them around layers, and as none does.
#include <algorithm>
#include <array>
#include <string>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

// What a tensor is quantized with.
struct Scheme {
  DType dtype = DType::I8;
  double scale = 1;
  int64_t zero_point = 0;
  int64_t low = -128;
  int64_t high = 127;
};

Scheme draw_scheme(Choices& choices) {
  static constexpr std::array<DType, 4> dtypes = {DType::I8, DType::U8, DType::I16, DType::I32};
  static constexpr std::array<uint32_t, 4> dtype_weights = {60, 28, 8, 4};
  static constexpr std::array usual = {0.25, 0.125, 0.1, 0.0371, 0.05, 0.5, 1.0, 0.0078125};
  static constexpr std::array extreme = {1e-30, 1e-6, 16.0, 1e4, 3e30};
  Scheme scheme;
  scheme.dtype = dtypes[choices.weighted(dtype_weights)];
  const DTypeInfo& limits = info(scheme.dtype);
  scheme.low = limits.min_integer;
  scheme.high = limits.max_integer;
  // Symmetric, or four bits that are held in eight.
  if (choices.chance(15)) scheme.low = limits.min_integer < 0 ? limits.min_integer + 1 : 0;
  if (choices.chance(8)) {
    scheme.low = limits.min_integer < 0 ? -8 : 0;
    scheme.high = limits.min_integer < 0 ? 7 : 15;
  }
  scheme.scale = choices.chance(90) ? choices.pick(usual) : choices.pick(extreme);
  const int64_t centre = limits.min_integer < 0 ? 0 : (scheme.low + scheme.high + 1) / 2;
  scheme.zero_point = choices.chance(45) ? centre
                      : choices.chance(80)
                          ? std::clamp<int64_t>(centre + choices.between(-9, 9), scheme.low, scheme.high)
                      : choices.chance(50) ? scheme.low
                                           : scheme.high;
  // A range that excludes 0.
  if (choices.chance(6)) scheme.low = std::min(scheme.zero_point + choices.between(1, 3), scheme.high);
  return scheme;
}

// What most tensors of a program have: a scale and a zero point that no element is lost by.
Scheme draw_usual_scheme(Choices& choices) {
  Scheme scheme;
  scheme.scale = choices.chance(50) ? 0.25 : 0.0625;
  scheme.zero_point = choices.between(-9, 9);
  if (choices.chance(30)) {
    scheme = {.dtype = DType::U8, .scale = scheme.scale, .zero_point = 128 + scheme.zero_point, .low = 0, .high = 255};
  }
  return scheme;
}

ValueId quantized(StructureSite& site, ValueId x, const Scheme& scheme) {
  return site.call(
      "quantized_decomposed.quantize_per_tensor.default",
      {x, Scalar(scheme.scale), Scalar(scheme.zero_point), Scalar(scheme.low), Scalar(scheme.high), scheme.dtype});
}

ValueId dequantized(StructureSite& site, ValueId q, const Scheme& scheme) {
  return site.call(
      "quantized_decomposed.dequantize_per_tensor.default",
      {q, Scalar(scheme.scale), Scalar(scheme.zero_point), Scalar(scheme.low), Scalar(scheme.high), scheme.dtype});
}

ValueId pair(StructureSite& site, ValueId x, const Scheme& scheme) {
  return dequantized(site, quantized(site, x, scheme), scheme);
}

// Scales of a few channels or groups: over 0, as those of weights are.
ValueId scales(StructureSite& site, DType dtype, const Dims& sizes) {
  const ValueId drawn = site.call("aten.abs.default", {site.source(SourceKind::Constant, dtype, sizes)});
  return site.call("aten.add.Scalar", {drawn, Scalar(0.0625)});
}

ValueId zero_points(StructureSite& site, DType dtype, const Dims& sizes) {
  return site.choices().chance(60)
             ? site.call("aten.full.default", {IntList(sizes.begin(), sizes.end()), Scalar(int64_t{0})},
                         {{"dtype", dtype}})
             : site.source(SourceKind::Constant, dtype, sizes);
}

// Weights that are stored as integers, with a scale for each channel of dim 0 or one for all.
ValueId quantized_weights(StructureSite& site, const Dims& sizes) {
  const ValueId integers = site.source(SourceKind::Constant, DType::I8, sizes);
  if (site.choices().chance(35)) {
    const int64_t zero_point = site.choices().chance(50) ? 0 : site.choices().between(-5, 5);
    return dequantized(site, integers, {.scale = 0.125, .zero_point = zero_point, .low = -127});
  }
  const DType of_scales = site.choices().chance(60) ? DType::F64 : DType::F32;
  const Dims channels = {sizes[0]};
  return site.call("quantized_decomposed.dequantize_per_channel.default",
                   {integers, scales(site, of_scales, channels), zero_points(site, DType::I64, channels),
                    Scalar(int64_t{0}), Scalar(int64_t{-127}), Scalar(int64_t{127}), DType::I8});
}

ValueId activated(StructureSite& site, ValueId x) {
  if (site.choices().chance(15)) {
    const Argument low = Scalar(static_cast<double>(site.choices().between(-2, 0)));
    const Argument high = Scalar(static_cast<double>(site.choices().between(1, 6)));
    return site.call(site.choices().chance(50) ? "aten.clamp.default" : "aten.hardtanh.default", {x, low, high});
  }
  static constexpr std::array<std::string_view, 5> activations = {
      "aten.relu.default", "aten.hardswish.default", "aten.sigmoid.default", "aten.tanh.default", "aten.relu_.default"};
  return site.choices().chance(50) ? site.call(site.choices().pick(activations), {x}) : x;
}

// A library of integers takes no bias of floats.
Argument bias(StructureSite& site, int64_t channels) {
  return site.choices().chance(50) ? Argument(site.weights({channels})) : Argument();
}

// A layer, between pairs as a static quantizer puts them.
void static_linear(StructureSite& site) {
  const int64_t width = site.choices().between(1, 4);
  const int64_t out = site.choices().between(1, 4);
  ValueId x = pair(site, site.activations({site.choices().between(1, 3), width}), draw_scheme(site.choices()));
  x = site.call("aten.linear.default", {x, quantized_weights(site, {out, width}), bias(site, out)});
  pair(site, activated(site, x), draw_scheme(site.choices()));
}

void static_convolution(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t channels = choices.between(1, 3);
  const int64_t out = choices.between(1, 3);
  const int64_t kernel = choices.between(1, 2);
  ValueId x = pair(site, site.activations({1, channels, 3, 3}), draw_scheme(choices));
  x = site.call("aten.conv2d.default", {x, quantized_weights(site, {out, channels, kernel, kernel}), bias(site, out),
                                        IntList{1, 1}, IntList{choices.between(0, 1), choices.between(0, 1)}});
  pair(site, activated(site, x), draw_scheme(choices));
}

// A residual sum of operands that have scales of their own.
void quantized_sum(StructureSite& site) {
  const Dims sizes = {site.choices().between(1, 3), site.choices().between(1, 4)};
  const ValueId a = pair(site, site.activations(sizes), draw_scheme(site.choices()));
  const ValueId b = pair(site, site.activations(sizes), draw_scheme(site.choices()));
  const ValueId sum = site.choices().chance(70) ? site.sum(a, b) : site.multiply(a, b);
  pair(site, activated(site, sum), draw_scheme(site.choices()));
}

// What only moves its elements has the parameters of its operands.
void shared_parameters(StructureSite& site) {
  Choices& choices = site.choices();
  const Scheme scheme = draw_scheme(choices);
  const Dims sizes = {1, choices.between(1, 2), 4, 4};
  const ValueId a = pair(site, site.activations(sizes), scheme);
  ValueId moved;
  switch (choices.below(4)) {
    case 0:
      moved = site.call("aten.cat.default",
                        {ValueList{a, pair(site, site.activations(sizes), scheme)}, Scalar(int64_t{1})});
      break;
    case 1:
      moved = site.call("aten.max_pool2d.default", {a, IntList{2, 2}});
      break;
    case 2: {
      const int64_t pad = choices.between(0, 1);
      moved = site.call("aten.avg_pool2d.default",
                        {a, IntList{2, 2}, IntList{}, IntList{pad, pad}, Scalar(false), Scalar(choices.chance(50))});
      break;
    }
    default:
      moved = site.call("aten.permute.default", {a, IntList{0, 2, 3, 1}});
  }
  pair(site, moved, scheme);
}

// A tensor that a layer reads and a sum behind the layer adds again.
void residual_block(StructureSite& site) {
  const int64_t width = site.choices().between(1, 4);
  const Scheme scheme = draw_usual_scheme(site.choices());
  const ValueId x = pair(site, site.activations({site.choices().between(1, 3), width}), scheme);
  const ValueId y =
      site.call("aten.linear.default", {x, quantized_weights(site, {width, width}), site.weights({width})});
  const ValueId sum = site.sum(x, pair(site, activated(site, y), draw_usual_scheme(site.choices())));
  pair(site, activated(site, sum), draw_usual_scheme(site.choices()));
}

// Tensors of scales of their own that become one.
void joined(StructureSite& site) {
  const Dims sizes = {site.choices().between(1, 2), site.choices().between(1, 3)};
  const ValueId a = pair(site, site.activations(sizes), draw_usual_scheme(site.choices()));
  const ValueId b = pair(site, site.activations(sizes), draw_usual_scheme(site.choices()));
  const ValueId both = site.call("aten.cat.default", {ValueList{a, b}, Scalar(site.choices().between(0, 1))});
  pair(site, both, draw_usual_scheme(site.choices()));
}

// Integers that the caller gets.
void returned_integers(StructureSite& site) {
  const Scheme scheme = draw_scheme(site.choices());
  const Dims sizes = {site.choices().between(1, 3), site.choices().between(1, 3)};
  ValueId q = quantized(site, site.activations(sizes), scheme);
  if (!q.valid()) return;
  if (site.choices().chance(50))
    q = quantized(site, activated(site, dequantized(site, q, scheme)), draw_scheme(site.choices()));
  if (q.valid() && site.choices().chance(30)) site.slice(q, 0, 0, 1);
}

// Parameters that the data asks for, for the whole tensor.
void dynamic_linear(StructureSite& site) {
  const int64_t width = site.choices().between(1, 4);
  const ValueId x = site.activations({site.choices().between(1, 3), width});
  const std::string_view choose = site.choices().chance(70) ? "quantized_decomposed.choose_qparams.tensor"
                                                            : "quantized_decomposed.choose_qparams_symmetric.tensor";
  const Argument low = Scalar(int64_t{-128});
  const Argument high = Scalar(int64_t{127});
  const ValueId scale = site.call(choose, {x, low, high, Scalar(0x1p-23), DType::I8});
  const ValueId zero_point = site.result(1);
  const ValueId q =
      site.call("quantized_decomposed.quantize_per_tensor.tensor", {x, scale, zero_point, low, high, DType::I8});
  const ValueId y =
      site.call("quantized_decomposed.dequantize_per_tensor.tensor", {q, scale, zero_point, low, high, DType::I8});
  site.call("aten.linear.default", {y, quantized_weights(site, {site.choices().between(1, 4), width})});
}

// Activations by token and weights of four bits in groups: 8da4w.
void token_linear(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t group = 2;
  const int64_t width = group * choices.between(1, 2);
  const int64_t out = choices.between(1, 3);
  const ValueId x = site.activations({choices.between(1, 3), width});
  const bool asymmetric = choices.chance(70);
  const ValueId scale = site.call(asymmetric ? "quantized_decomposed.choose_qparams_per_token_asymmetric.default"
                                             : "quantized_decomposed.choose_qparams_per_token.default",
                                  {x, DType::I8});
  const ValueId zero_point = site.result(1);
  const Argument low = Scalar(int64_t{-128});
  const Argument high = Scalar(int64_t{127});
  const ValueId q =
      site.call("quantized_decomposed.quantize_per_token.default", {x, scale, zero_point, low, high, DType::I8});
  const ValueId y = site.call("quantized_decomposed.dequantize_per_token.default",
                              {q, scale, zero_point, low, high, DType::I8, DType::F32});
  const Dims groups = {out, width / group};
  const ValueId weights = site.call("quantized_decomposed.dequantize_per_channel_group.default",
                                    {site.source(SourceKind::Constant, DType::I8, {out, width}),
                                     scales(site, DType::F32, groups), zero_points(site, DType::I32, groups),
                                     Scalar(int64_t{-8}), Scalar(int64_t{7}), DType::I8, Scalar(group), DType::F32});
  site.call("aten.linear.default", {y, weights});
}

// A tensor in integers that have a scale for each channel of a dim, and the way back; only the way back where it holds
// such integers.
void channel_pair(StructureSite& site, ValueId x, int64_t axis) {
  if (!x.valid()) return;
  const TensorMeta& meta = site.meta(x);
  const bool is_quantized = meta.dtype == DType::I8;
  const Dims channels = {meta.layout.sizes[static_cast<int>(axis < 0 ? axis + meta.layout.rank() : axis)]};
  const DType of_scales = site.choices().chance(50) ? DType::F64 : DType::F32;
  const ValueId scale = scales(site, of_scales, channels);
  const ValueId zero_point = zero_points(site, DType::I64, channels);
  const Argument low = Scalar(int64_t{-128});
  const Argument high = Scalar(int64_t{127});
  const ValueId q = is_quantized ? x
                                 : site.call("quantized_decomposed.quantize_per_channel.default",
                                             {x, scale, zero_point, Scalar(axis), low, high, DType::I8});
  site.call("quantized_decomposed.dequantize_per_channel.default",
            {q, scale, zero_point, Scalar(axis), low, high, DType::I8});
}

// Weights that are quantized where they are used.
void quantized_where_used(StructureSite& site) {
  const Dims sizes = {site.choices().between(1, 3), site.choices().between(1, 3)};
  const ValueId x = site.activations(sizes);
  channel_pair(site, x, site.choices().between(-2, 1));
}

// Channels of a picture whose memory is channels-last, or whose dims are permuted: what lies between two elements of a
// channel is not what the sizes say.
void channels_of_a_permuted_picture(StructureSite& site) {
  Choices& choices = site.choices();
  const Dims sizes = {choices.between(1, 2), choices.between(2, 3), choices.between(1, 3), choices.between(1, 3)};
  const ValueId x = choices.chance(50) ? site.activations(sizes) : site.source(SourceKind::Input, DType::I8, sizes);
  const ValueId seen = choices.chance(70)
                           ? site.call("aten.clone.default", {x}, {{"memory_format", MemoryFormat::ChannelsLast}})
                           : site.call("aten.permute.default", {x, IntList{0, 2, 3, 1}});
  channel_pair(site, seen, choices.between(0, 3));
}

// A cache that is kept as integers, and read as floats.
void quantized_cache(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t width = choices.between(1, 3);
  const Scheme scheme = {.scale = 0.25, .zero_point = choices.between(-3, 3)};
  const ValueId held = site.source(SourceKind::Buffer, DType::I8, {4, width});
  const ValueId now = quantized(site, site.activations({1, width}), scheme);
  const int64_t at = choices.between(0, 3);
  const ValueId place = site.slice(held, 0, at, at + 1);
  const ValueId written = site.call("aten.copy_.default", {place, now});
  if (!written.valid()) return;
  dequantized(site, held, scheme);
}

// A pair that does not cancel, and integers with two readers that nobody but a program has.
void other_parameters(StructureSite& site) {
  Choices& choices = site.choices();
  const Scheme scheme = draw_scheme(choices);
  ValueId q = quantized(site, site.activations({choices.between(1, 3), choices.between(1, 4)}), scheme);
  if (!q.valid()) return;
  if (choices.chance(30)) q = site.call("aten.clamp_.default", {q, Scalar(scheme.zero_point), Argument()});
  if (choices.chance(30)) q = site.transpose(q, 0, 1);
  Scheme other = scheme;
  if (choices.chance(60)) other.scale *= 2;
  if (choices.chance(60)) other.zero_point = std::min(scheme.zero_point + 1, scheme.high);
  const ValueId a = dequantized(site, q, scheme);
  const ValueId b = dequantized(site, q, other);
  if (choices.chance(60)) site.call("aten.sub.Tensor", {a, b});
  if (choices.chance(40)) site.call("aten.add_.Tensor", {q, q});
}

}  // namespace

std::span<const Structure> quantized_structures() {
  static constexpr std::array structures = {
      Structure{"static linear", static_linear},
      Structure{"static convolution", static_convolution},
      Structure{"quantized sum", quantized_sum},
      Structure{"shared parameters", shared_parameters},
      Structure{"residual block", residual_block},
      Structure{"joined", joined},
      Structure{"returned integers", returned_integers},
      Structure{"dynamic linear", dynamic_linear},
      Structure{"token linear", token_linear},
      Structure{"quantized where used", quantized_where_used},
      Structure{"quantized cache", quantized_cache},
      Structure{"other parameters", other_parameters},
      Structure{"channels of a permuted picture", channels_of_a_permuted_picture},
  };
  return structures;
}

}  // namespace parallax
