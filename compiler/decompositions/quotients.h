// Division of tensors, for which a planted fault has other formulas.
#pragma once

#include "compiler/composer.h"

namespace parallax {

// The parts of aten.floor_divide and aten.remainder: rounded down, or cut towards zero.
Terms floor_divide_parts(Composer& composer, bool rounds_down);
Terms remainder_parts(Composer& composer, bool rounds_down);

}  // namespace parallax
