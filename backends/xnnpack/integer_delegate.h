// The delegate that runs fused calls of quantized tensors with XNNPACK's qs8, qu8 and per-channel operators.
#pragma once

#include "backends/delegate.h"

namespace parallax::xnnpack {

// Whether the library computes the call.
bool takes_integers(const Graph& graph, const Node& node);

Result<std::unique_ptr<Delegate>> make_integer_delegate(const Graph& graph, const Partition& partition,
                                                        std::span<const ValueId> outputs);

}  // namespace parallax::xnnpack
