// SightingOf: what is kept, for people, of one look at a finding's reduced case (corpus/sighting.h).
#pragma once

#include <vector>

#include "backends/examine.h"
#include "corpus/sighting.h"

namespace parallax {

// `shown` is what the target did, `stages` and `diagnoses` what it says of how it came to that; they may be empty.
Sighting sighting_of(const Target& target, const Case& test, const Examination& shown,
                     const std::vector<StageVerdict>& stages, std::vector<Diagnosis> diagnoses);

}  // namespace parallax
