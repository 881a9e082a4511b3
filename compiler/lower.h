// Lower: from the last pass's graph to a program: partitions, fused groups, and where every storage lies.
#pragma once

#include "compiler/compile.h"

namespace parallax {

// A node that no backend takes, and a plan that does not fit the arena's limit, are refused with the node's name.
Result<Program> lower(Graph graph, const CompilerParts& parts, const CompileOptions& options);

}  // namespace parallax
