// Nearest alternatives: what a nearest-neighbour resize may read where a position lies at the boundary of two texels.
//
// Legal roundings of the scale put the position on either side: the element is the one texel or the other, and nothing
// between. A ball has no way to say so; its hull of both is what the ops after it compute with.
#pragma once

#include <map>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Whether the op reads the nearest texel.
bool gives_alternatives(const Op& op);

// By element of the output's storage: two balls or more, one of which it is. Nothing for elements whose ball says as
// much. The op must give alternatives, and have run.
using Alternatives = std::map<int64_t, std::vector<Ball>>;
Alternatives nearest_alternatives(const ReferenceCall& call);

}  // namespace parallax
