// The delegate of a partition: an XNNPACK runtime, and the copies at its boundary.
//
// A tensor whose elements lie in the partition's order is read and written where it is; others are copied.
#pragma once

#include "backends/delegate.h"

namespace parallax::xnnpack {

Result<std::unique_ptr<Delegate>> make_delegate(const Graph& graph, const Partition& partition,
                                                std::span<const ValueId> outputs);

}  // namespace parallax::xnnpack
