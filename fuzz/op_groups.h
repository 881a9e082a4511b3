// Op groups: what generation weights are keyed by, so that a new op takes part without a line here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/op.h"

namespace parallax {

enum class OpGroup : uint8_t {
  View,   // results lie in an operand's storage; t_ and the like, which write metadata only
  Copy,   // clone, contiguous, casts, the copying twins of views
  Write,  // in-place ops of every family
  Pointwise,
  Comparison,  // and where
  Reduction,   // and scans
  Join,
  Scatter,  // and indexing and rearranging, as pure functions
  Fill,
};
inline constexpr std::size_t op_group_count = 9;

// The group of an op of the registry.
OpGroup group_of(const Op& op);

// The ops of a group that can be sampled, in registry order.
std::span<const Op* const> sampled_ops(OpGroup group);

}  // namespace parallax
