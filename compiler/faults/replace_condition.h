// What faults of in-place reuse share: one condition of the list replaced.
#pragma once

#include <algorithm>

#include "compiler/parts.h"

namespace parallax {

inline void replace_condition(CompilerParts& parts, bool (*sound)(const InPlaceCandidate&),
                              bool (*faulty)(const InPlaceCandidate&)) {
  const auto found = std::ranges::find(parts.in_place, sound, &InPlaceCondition::holds);
  PARALLAX_CHECK(found != parts.in_place.end());
  found->holds = faulty;
}

}  // namespace parallax
