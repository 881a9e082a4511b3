// Tied indices: where equal elements stand in no defined order, an index of one of them is the place of any.
//
// An integer has no way to say so and is undecided, for what reads it; what is handed out is one of these places.
#pragma once

#include "ops/nearest_alternatives.h"

namespace parallax {

// Whether the op gives places of the elements of a line that it ranks: sort, argsort, topk, median, kthvalue.
bool gives_tied_indices(const Op& op);

// By element of the storage of the indices, the last result: the places of all elements of its line that are equal to
// the one that stands there. Nothing for an index that is known, and where an element of the line is not known exactly:
// which of two stands first is a fact then, that the bound does not reach. The op must give such indices, and have run.
Alternatives tied_indices(const ReferenceCall& call);

}  // namespace parallax
