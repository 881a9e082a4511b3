// Lost values: what a target's f32 arithmetic does not keep, where its profile says so.
//
// A kernel that clamps every result, as XNNPACK's do, makes a bound of NaN; a processor that is told to take subnormal
// operands for 0 makes an infinity of a quotient. Both hold of whatever the target computes, so they are told of the
// elements and not op by op.
#pragma once

#include <span>

#include "core/profile.h"
#include "graph/graph.h"
#include "ops/ball.h"

namespace parallax {

// An element of a source.
Ball kept_of(double x, DType dtype, const Profile& profile);

// What one node loses of NaN. It looks at the operands before the node runs, since the node may write to them.
class LostNan {
 public:
  // `views` are of all values, and outlive it.
  LostNan(const Node& node, const Profile& profile, std::span<const BallView> views);
  // Widens what the node made or wrote, once it has run.
  void widen() const;

 private:
  const Node& node_;
  const Profile& profile_;
  std::span<const BallView> views_;
  bool computes_ = false;     // numbers, under a profile that loses some
  bool operand_nan_ = false;  // an element of an operand may be NaN
};

}  // namespace parallax
