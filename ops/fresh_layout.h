// The layouts that eager gives to fresh memory: contiguous, in a memory format, or in the order of dims of what it was
// computed from.
#pragma once

#include <span>

#include "core/layout.h"
#include "core/result.h"
#include "ops/argument.h"

namespace parallax {

// The layout of what an element-wise op makes of operands that broadcast to `sizes` (ATen's TensorIterator): dense, in
// the order of dims that the operands' strides ask for, an earlier operand deciding first.
Layout elementwise_layout(const Dims& sizes, std::span<const Layout> operands);

// What a tensor becomes when it is copied into `format`; Preserve keeps the strides, or their order where they are not
// dense. The formats other than Preserve look at the sizes only.
Result<Layout> fresh_layout(const Layout& like, MemoryFormat format);

// The memory format that the strides suggest; contiguous in every case of doubt.
MemoryFormat suggested_format(const Layout& layout);

// The memory format that all of them suggest, contiguous where they differ: what cat gives its result.
MemoryFormat common_format(std::span<const Layout> layouts);

// Whether the strides are exactly those of the format; an error where the rank does not have it.
Result<bool> is_in_format(const Layout& layout, MemoryFormat format);

}  // namespace parallax
