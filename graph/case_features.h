// The parts of the format that a case must name in "requires" (runs, symbols, grad, quantized), and which this version
// reads but does not run.
#pragma once

#include "core/json_field.h"

namespace parallax {

// Succeeds for a case that uses none of them but runs, symbols and gradients. Otherwise the error says, by name, what
// is used and not run here (Unsupported), or what is wrong: a field of the wrong shape, two that do not go together, or
// a use that "requires" does not name (Invalid).
Result<void> check_features(const Field& root);

}  // namespace parallax
