// Lower: from the last pass's graph to a program: partitions, fused groups, and where every storage lies.
#pragma once

#include "compiler/compile.h"

namespace parallax {

// A node that no backend takes, and a plan that does not fit the arena's limit, are refused with the node's name.
// `others` are the graph at other sizes: a backend is given only what it takes there too, and likewise for loops.
Result<Program> lower(Graph graph, std::span<const Graph> others, const CompilerParts& parts,
                      const CompileOptions& options);

// When the planner takes each storage of a graph, of which these nodes run in loops, to hold something.
Lifetimes lifetimes_of(const Graph& graph, std::span<const FusedGroup> groups, const CompilerParts& parts,
                       const CompileOptions& options);

// A plan for the program as it is now.
Result<Plan> plan_program(const Program& program, const CompilerParts& parts, const CompileOptions& options);

}  // namespace parallax
