// Gradients: the third opinion on those that a target gave.
//
// The reference is eager's autograd in f64, which the worker sends beside the target's own. It is believed where
// central differences through our own interpreter agree with it (elsewhere, as at a kink or where a cast rounds, nothing
// is said) and where eager in the case's own dtypes comes as near to it as is asked of the target: it does not where a
// value in between overflows, or where rounding is magnified. There is no bound to prove by: rounding is propagated
// through the forward pass only. An element is a mismatch where it is off by more than a thousand roundings, in the
// coarsest dtype that the graph computes in, of the largest element.
#pragma once

#include "core/profile.h"
#include "graph/case.h"
#include "oracle/judge.h"

namespace parallax {

// Adds what the outcome's gradients are to the judgement of its outputs. The case asks for gradients.
void judge_gradients(const Case& test, const Outcome& outcome, Judgement& judgement);

// The gradients by central differences of sum(cotangent · output), by the request's inputs, with every float of the
// case widened to f64; NaN where the interpreter cannot say. Nothing where the case does not widen.
std::optional<std::vector<Tensor>> central_differences(const Case& test);

}  // namespace parallax
