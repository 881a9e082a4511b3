// Carried alternatives: those of elements that a call copies as they are into memory of its own.
#pragma once

#include <map>
#include <vector>

#include "ops/nearest_alternatives.h"

namespace parallax {

// Alternatives by the storage whose elements have them.
using AlternativesByStorage = std::map<const BallStorage*, Alternatives>;

// Whether each element of the op's results is that of one operand, or a constant: views and their copying twins, clone
// and casts, cat, flip, pad and their kin.
bool copies_elements(const Op& op);

// By result, and by element of its storage: the different balls that it is where operands' elements are one alternative
// after the other. Nothing for elements that are the same throughout. The op must copy elements, write no operand, and
// have run.
std::vector<Alternatives> carried_alternatives(const ReferenceCall& call, const AlternativesByStorage& held);

}  // namespace parallax
