// Norms, gates and residual streams, and calls whose operands are views of one another.
#include <array>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

Dims draw_stream(StructureSite& site) {
  return {site.choices().between(1, 2), site.choices().between(1, 3), 2 * site.choices().between(1, 2)};
}

// A norm, as an op or as its parts.
ValueId norm(StructureSite& site, ValueId x, int64_t width) {
  if (site.choices().chance(40)) {
    return site.call("aten.layer_norm.default", {x, IntList{width}, site.weights({width}), site.weights({width})});
  }
  const ValueId square = site.call("aten.pow.Tensor_Scalar", {x, Scalar(int64_t{2})});
  const ValueId mean = site.call("aten.mean.dim", {square, IntList{-1}, Scalar(true)});
  const ValueId root = site.call("aten.rsqrt.default", {site.call("aten.add.Scalar", {mean, Scalar(1e-5)})});
  return site.multiply(site.multiply(x, root), site.weights({width}));
}

// Two layers on a residual stream; the stream may be written in place, and what was read of it before is still needed.
void residual_stream(StructureSite& site) {
  Choices& choices = site.choices();
  const Dims sizes = draw_stream(site);
  const int64_t width = sizes[2];
  ValueId x = site.activations(sizes);
  // An input that a target does not write to is copied first.
  if (choices.chance(60)) x = site.call("aten.clone.default", {x});
  for (int layer = 0; layer < 2; ++layer) {
    ValueId y = norm(site, x, width);
    y = site.call("aten.linear.default", {y, site.weights({width, width}), site.weights({width})});
    if (choices.chance(30)) y = site.call("aten.gelu.default", {y}, {{"approximate", std::string("tanh")}});
    const ValueId next = choices.chance(50) ? site.call("aten.add_.Tensor", {x, y}) : site.sum(x, y);
    if (next.valid()) x = next;
  }
}

// A gate beside what it gates: two parts of one product, or two products.
void gated(StructureSite& site) {
  const Dims sizes = draw_stream(site);
  const int64_t width = sizes[2];
  const ValueId x = site.activations(sizes);
  ValueId gate;
  ValueId up;
  if (site.choices().chance(50)) {
    const ValueId both = site.call("aten.linear.default", {x, site.weights({2 * width, width})});
    site.call("aten.chunk.default", {both, Scalar(int64_t{2}), Scalar(int64_t{-1})});
    gate = site.result(0);
    up = site.result(1);
  } else {
    gate = site.call("aten.linear.default", {x, site.weights({width, width})});
    up = site.call("aten.linear.default", {x, site.weights({width, width})});
  }
  static constexpr std::array<std::string_view, 5> activations = {
      "aten.silu.default", "aten.gelu.default", "aten.sigmoid.default", "aten.hardswish.default", "aten.silu_.default"};
  site.multiply(site.call(site.choices().pick(activations), {gate}), up);
}

// A view of x that is drawn, of the sizes that `other` drawn views have too.
ValueId shifted_view(StructureSite& site, ValueId x, int64_t length) {
  switch (site.choices().below(3)) {
    case 0:
      return site.slice(x, 0, 0, length - 1);
    case 1:
      return site.slice(x, 0, 1, length);
    default:
      return site.call("aten.narrow.default",
                       {x, Scalar(int64_t{0}), Scalar(site.choices().between(0, 1)), Scalar(length - 1)});
  }
}

// A call of two tensors that are views of one: apart, overlapping or the same.
void overlapping_operands(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t length = choices.between(2, 4);
  ValueId x = site.activations({length, choices.between(1, 4)});
  if (choices.chance(60)) x = site.call("aten.clone.default", {x});
  if (!x.valid()) return;
  const ValueId a = shifted_view(site, x, length);
  const ValueId b = choices.chance(60) ? shifted_view(site, x, length) : a;
  if (!a.valid() || !b.valid()) return;
  switch (choices.below(6)) {
    case 0:
      site.call("aten.copy_.default", {a, site.call("aten.clone.default", {b})});
      break;
    case 1:
      site.call("aten.add_.Tensor", {a, b});  // refused where they overlap in part, as eager does
      break;
    case 2:
      site.multiply(a, b);
      break;
    case 3:
      site.call("aten.where.self", {site.call("aten.gt.Tensor", {a, b}), a, b});
      break;
    case 4:
      site.call("aten.cat.default", {ValueList{a, b, x}, Scalar(int64_t{0})});
      break;
    default:
      site.call("aten.mul_.Tensor", {a, site.call("aten.sigmoid.default", {b})});
      site.sum(b, b);
  }
  site.scaled(x, 0.5);
}

}  // namespace

std::span<const Structure> layer_structures() {
  static constexpr std::array structures = {
      Structure{"residual stream", residual_stream},
      Structure{"gated layer", gated},
      Structure{"overlapping operands", overlapping_operands},
  };
  return structures;
}

}  // namespace parallax
