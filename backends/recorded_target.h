// The target "recorded": its outcome is the case's own `expect`, so a replay holds the oracle against what was recorded.
#pragma once

#include <memory>

#include "backends/target.h"

namespace parallax {

std::unique_ptr<Target> make_recorded_target();

}  // namespace parallax
