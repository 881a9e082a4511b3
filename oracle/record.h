// Record: what each value of a case's graph held when it was computed, for the reducer to put in its place.
#pragma once

#include <optional>
#include <vector>

#include "graph/case.h"
#include "oracle/interpreter.h"

namespace parallax {

// By value id: what it holds right after its node ran (sources: before the first node), in run A, with every result
// computed in double from the rounded operands and rounded once. Nothing where eager refuses the case.
std::optional<std::vector<Tensor>> record_values(const Case& test);

// By value id: likewise with nothing rounded, the program in double. Of sources there is nothing.
std::optional<std::vector<BallTensor>> record_doubles(const Case& test);

}  // namespace parallax
