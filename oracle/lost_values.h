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

// What a node that was just run made or wrote, of all values.
void widen_lost(const Node& node, const Profile& profile, std::span<const BallView> views);

}  // namespace parallax
