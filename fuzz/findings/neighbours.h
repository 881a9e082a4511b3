// Neighbours: a case with one thing edited, in every way of a short list. Which of them still fail is the trigger map
// of a bug (fuzz/findings/trigger_map.h).
#pragma once

#include <string>
#include <vector>

#include "graph/case.h"

namespace parallax {

struct Neighbour {
  std::string about;  // what is edited: "b = clone(a)", "dtype", "values"
  std::string edit;   // and how: "alias_copy", "f16", "zeros"
  Case test;
};

// Each call swapped for its siblings; the dtype of all sources, each of their extents, their values; an output left out
// or a value returned besides; one more reader of a value. Edits that leave no valid case are left out, and so are
// those that leave the case as it was.
std::vector<Neighbour> neighbours_of(const Case& test);

}  // namespace parallax
