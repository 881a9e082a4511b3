// Mixtures of experts and detection heads: what is computed decides where numbers go.
#include <array>

#include "fuzz/generate/structures.h"

namespace parallax {
namespace {

// Each row goes to the experts that a router scores highest; their answers are added up row by row.
void experts(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t rows = choices.between(1, 3);
  const int64_t width = choices.between(2, 4);
  const int64_t count = choices.between(2, 3);
  const int64_t chosen = choices.between(1, count);
  const ValueId x = site.activations({rows, width});
  const ValueId logits = site.call("aten.linear.default", {x, site.weights({count, width})});
  const ValueId scores = site.call("aten.softmax.int", {logits, Scalar(int64_t{-1})});
  const ValueId best = site.call("aten.topk.default", {scores, Scalar(chosen)});
  const ValueId which = site.result(1);
  ValueId total = site.call("aten.zeros_like.default", {x});
  const ValueId own = site.source(SourceKind::Constant, DType::I64, {rows});
  const ValueId experts = site.weights({count, width});
  for (int64_t k = 0; k < chosen; ++k) {
    const ValueId expert = site.call("aten.select.int", {which, Scalar(int64_t{1}), Scalar(k)});
    const ValueId weights = choices.chance(50) ? site.call("aten.embedding.default", {experts, expert})
                                               : site.call("aten.index.Tensor", {experts, ValueList{expert}});
    const ValueId answer = site.multiply(site.multiply(x, weights), site.slice(best, 1, k, k + 1));
    const ValueId next = choices.chance(60)
                             ? site.call("aten.index_add_.default", {total, Scalar(int64_t{0}), own, answer})
                             : site.call("aten.add_.Tensor", {total, answer});
    if (next.valid()) total = next;
  }
}

// The boxes with the highest scores, as corners made of centres and sizes.
void detection(StructureSite& site) {
  Choices& choices = site.choices();
  const int64_t boxes = choices.between(2, 4);
  const int64_t best = choices.between(1, 2);
  const ValueId x = site.activations({1, boxes, 5});
  const ValueId score =
      site.call("aten.sigmoid.default", {site.call("aten.select.int", {x, Scalar(int64_t{2}), Scalar(int64_t{4})})});
  const ValueId coordinates = site.slice(x, 2, 0, 4);
  site.call("aten.topk.default", {score, Scalar(best)});
  const ValueId which = site.result(1);
  const ValueId wide = site.call(
      "aten.expand.default", {site.call("aten.unsqueeze.default", {which, Scalar(int64_t{-1})}), IntList{-1, -1, 4}});
  const ValueId picked = site.call("aten.gather.default", {coordinates, Scalar(int64_t{1}), wide});
  site.call("aten.split.Tensor", {picked, Scalar(int64_t{2}), Scalar(int64_t{-1})});
  const ValueId centres = site.result(0);
  const ValueId half = site.scaled(site.result(1), 0.5);
  const ValueId low = site.call("aten.sub.Tensor", {centres, half});
  const ValueId high = site.sum(centres, half);
  if (low.valid() && high.valid()) site.call("aten.cat.default", {ValueList{low, high}, Scalar(int64_t{-1})});
}

}  // namespace

std::span<const Structure> routing_structures() {
  static constexpr std::array structures = {
      Structure{"experts", experts},
      Structure{"detection head", detection},
  };
  return structures;
}

}  // namespace parallax
