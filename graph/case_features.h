// The parts of the format that a case must name in "requires": runs, symbols, grad, quantized.
#pragma once

#include "core/json_field.h"

namespace parallax {

// The error says what is wrong: a field of the wrong shape, two that do not go together, or a use that "requires" does
// not name (Invalid); or what this version does not know (Unsupported).
Result<void> check_features(const Field& root);

}  // namespace parallax
