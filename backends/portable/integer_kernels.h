// Integer kernels: how the portable backend runs fused calls of quantized tensors (compiler/passes/fuse_integers.cpp).
//
// Sums of products are exact in integers and meet their scales once, in double; what goes element by element is
// computed in f32, as the parts would. So both lie within what the oracle allows of the parts, without a form.
#pragma once

#include "backends/portable/kernel.h"
#include "compiler/integer_rules.h"
#include "ops/fused_op.h"

namespace parallax::portable {

// Runs a call whose op is a FusedOp.
Result<void> run_integers(const KernelCall& call, const IntegerRules& rules);

}  // namespace parallax::portable
