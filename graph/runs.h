// The runs of a case, each as a concrete case of its own. The first run is 0.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/case.h"

namespace parallax {

// Whether the case is more than one concrete run.
inline bool has_several_runs(const Case& test) { return !test.later.empty() || !test.symbols.empty(); }
// Whether some of the runs are on another instance of the program than the first.
bool has_several_instances(const Case& test);
// The graph that a run calls, a method's or the case's own, as the case has it.
const Graph& called_graph(const Case& test, std::size_t run);
// The same at the sizes of the run.
Result<Graph> graph_of_run(const Case& test, std::size_t run);
// The sizes of a run.
SymbolSizes sizes_of_run(const Case& test, std::size_t run);
const std::vector<Tensor>& feed_of_run(const Case& test, std::size_t run);
// A run as a case of its own: its sizes, feed and expectation, state as it is before the first run.
Result<Case> case_of_run(const Case& test, std::size_t run);
// Refuses a case that cannot be run at its bound or in one of its runs, or whose later feeds do not fit; the error
// names the run and the node.
Result<void> check_runs(const Case& test);

}  // namespace parallax
