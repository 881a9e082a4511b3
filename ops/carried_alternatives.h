// Carried alternatives: those that a call's results have because elements of its operands have them.
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
// after the other. Nothing for elements that are the same throughout. Each element of the results must be made of one
// element of the operands that has alternatives, or of none; the op must write no operand, and have run.
std::vector<Alternatives> carried_alternatives(const ReferenceCall& call, const AlternativesByStorage& held);

}  // namespace parallax
