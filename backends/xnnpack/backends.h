// The backends "xnnpack" and "xnnpack-nhwc": which nodes XNNPACK takes, and in which order of elements.
//
// The library has no transposition, so a partition is in one order throughout: what needs row-major tensors of rank 4
// goes to one backend, what else has a result of rank 4 to the other.
#pragma once

#include "backends/delegate.h"
#include "backends/runtime/own_backend.h"
#include "backends/xnnpack/op_row.h"

namespace parallax::xnnpack {

// Whether the call's result lies in its operand's memory.
bool is_view(const NodeCall& call);

// Both backends and how their partitions are run.
const DelegateSet& delegates();

// The target "xnnpack". It takes no options of its own.
extern const OwnBackend own_backend;

}  // namespace parallax::xnnpack
