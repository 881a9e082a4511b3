// Products with something added to them, for which a planted fault has other formulas.
#pragma once

#include "compiler/composer.h"

namespace parallax {

// The addend as it is to meet a product of those sizes by broadcasting.
using PlaceAddendFn = Term (*)(Term addend, const Dims& sizes);

// The parts of aten.addmm and aten.linear.
Terms addmm_parts(Composer& composer, PlaceAddendFn place);
Terms linear_parts(Composer& composer, PlaceAddendFn place);

}  // namespace parallax
