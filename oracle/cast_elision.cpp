#include "oracle/cast_elision.h"

#include "ops/ball_math.h"

namespace parallax {
namespace {

bool is_half(DType dtype) { return dtype == DType::F16 || dtype == DType::BF16; }

// What the f32 storages that a node touches hold, as far as that is settled.
struct Origins {
  std::optional<DType> half;  // some operand is a half, or may be kept as one
  bool full = false;          // some operand is f32 from elsewhere, or of the other half
};

}  // namespace

// A storage is of a half if some value in it is and none comes from elsewhere, so the marks are made to a fixed point
// from the sources: a written view marks what its base holds too.
CastElision::CastElision(const Graph& graph, const Profile& profile) : graph_(&graph), profile_(&profile) {
  if (!profile.allowed.anywhere().has(Form::ElidedCasts)) return;
  std::vector<bool> full(graph.storages.size(), false);
  std::vector<std::optional<DType>> half(graph.storages.size());
  for (const Source& source : graph.sources) {
    const TensorMeta& meta = graph.meta(source.value);
    if (is_half(meta.dtype)) {
      half[meta.storage.index] = meta.dtype;
    } else if (is_floating(meta.dtype)) {
      full[meta.storage.index] = true;
    }
  }
  for (std::size_t changes = 1; changes > 0;) {
    changes = 0;
    for (const Node& node : graph.nodes) {
      Origins origins;
      for (const Argument& argument : node.arguments) {
        for_each_value(argument, [&](ValueId value) {
          const TensorMeta& meta = graph.meta(value);
          if (!is_floating(meta.dtype)) return;
          const std::optional<DType> known = is_half(meta.dtype) ? std::optional(meta.dtype) : half[meta.storage.index];
          origins.full = origins.full || full[meta.storage.index] || (known && origins.half && *known != *origins.half);
          if (known) origins.half = known;
        });
      }
      for (const ValueId result : node.results) {
        const TensorMeta& meta = graph.meta(result);
        if (meta.dtype != DType::F32) continue;
        const std::size_t storage = meta.storage.index;
        if (origins.full && !full[storage]) {
          full[storage] = true;
          ++changes;
        }
        if (origins.half && half[storage] != origins.half) {
          if (half[storage]) full[storage] = true;
          half[storage] = origins.half;
          ++changes;
        }
      }
    }
  }
  kept_as_.resize(graph.storages.size());
  // What has no origin at all may be computed as any half that it meets.
  std::optional<DType> any;
  for (std::size_t s = 0; s < half.size(); ++s) {
    if (half[s]) any = half[s];
  }
  for (std::size_t s = 0; s < half.size(); ++s) {
    if (!full[s] && graph.storages[s].dtype == DType::F32) kept_as_[s] = half[s] ? half[s] : any;
  }
}

void CastElision::widen(const Node& node, std::span<const BallView> results) const {
  if (kept_as_.empty()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const TensorMeta& meta = graph_->meta(node.results[i]);
    const std::optional<DType> half = kept_as_[meta.storage.index];
    if (meta.dtype != DType::F32 || !half || !allows(*profile_, Form::ElidedCasts, *node.op, *half)) continue;
    const BallMath math(*half, *profile_);
    for_each_element(results[i].layout, [&](int64_t element) {
      Ball& ball = results[i].ball(element);
      if (!ball.decided() || !std::isfinite(ball.mid)) return;
      Ball stored = math.rounded(ball.mid, Inherited(ball), true);
      stored.may_nan = stored.may_nan || ball.may_nan;
      if (ball.may_inf) stored.may_inf = true;
      ball = stored;
    });
  }
}

}  // namespace parallax
