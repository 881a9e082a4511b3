// OpGroup: what kind of op it is to the generator, whose weights are keyed by it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parallax {

enum class OpGroup : uint8_t {
  View,   // results lie in an operand's storage; t_ and the like, which write metadata only
  Copy,   // clone, contiguous, casts, the copying twins of views
  Write,  // in-place ops of every family
  Pointwise,
  Comparison,  // and where
  Reduction,   // and scans, norms
  Join,
  Scatter,  // and indexing and rearranging, as pure functions
  Fill,
};
inline constexpr std::size_t op_group_count = 9;

}  // namespace parallax
