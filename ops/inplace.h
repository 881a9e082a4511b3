// In-place twins: add_ is add, checked as eager checks a write, and put into the operand's own memory.
#pragma once

#include <string_view>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Eager refuses to write through an expanded tensor, where two indices are one element.
Result<void> check_writable(const Call& call, ValueId self);
// Refuses operands that share some of self's memory but are not self: their elements change while they are read.
Result<void> check_no_partial_overlap(const Call& call, ValueId self, ValueId other);

// Infer of an in-place op whose `functional` twin has the same parameters and whose written operand is `self`.
Result<std::vector<ResultMeta>> infer_inplace(const Call& call);
// Its kernel: the twin's result, computed aside, then converted into self.
Result<void> reference_inplace(const ReferenceCall& call);

// The in-place twin of the op named `functional`: both of the above.
OpDef inplace_twin(std::string_view schema, std::string_view functional, SampleFn sample);

}  // namespace parallax
