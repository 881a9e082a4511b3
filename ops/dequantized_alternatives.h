// Dequantized alternatives: what an integer that is one of a few numbers, as what is quantized near a tie is, may be
// once it is a float again.
//
// The floats are a step of the scale apart, and a result between two of them is wrong. A ball has no way to say so; its
// hull of all is what the ops after it compute with.
#pragma once

#include "ops/nearest_alternatives.h"

namespace parallax {

// Whether the op dequantizes, elementwise.
bool gives_dequantized_alternatives(const Op& op);

// By element of the output's storage: what the op makes of each of the integers that its input's element may be, the
// ends of them first. Nothing where that is one integer or more than 8. The op must give such, and have run.
Alternatives dequantized_alternatives(const ReferenceCall& call);

}  // namespace parallax
