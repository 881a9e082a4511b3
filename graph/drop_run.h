// A case without one of its runs.
#pragma once

#include <cstddef>
#include <optional>

#include "graph/case.h"

namespace parallax {

// The case without that run, the first being 0: the one after it is the first then, on the first instance, and what it
// calls is the graph. The expectations of the runs behind it are dropped, since it left state for them. Nothing for the
// only run.
std::optional<Case> without_run(const Case& test, std::size_t run);

}  // namespace parallax
