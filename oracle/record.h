// Record: what each value of a case's graph held when it was computed, for the reducer to put in its place.
#pragma once

#include <optional>
#include <vector>

#include "graph/case.h"

namespace parallax {

// By value id: the centre of what the oracle says of it right after its node ran (sources: before the first node), in
// run A. Nothing where eager refuses the case.
std::optional<std::vector<Tensor>> record_values(const Case& test);

}  // namespace parallax
