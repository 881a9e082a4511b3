// Trigger map: which neighbours of a case fail as it does, which pass, and of which nothing can be said.
#pragma once

#include <string>
#include <vector>

#include "backends/examine.h"
#include "corpus/trigger_row.h"
#include "fuzz/findings/neighbours.h"

namespace parallax {

struct JudgedNeighbour {
  Neighbour neighbour;
  Judgement judgement;
};

struct TriggerMap {
  std::string target;
  Judgement judgement;  // of the case itself
  std::vector<JudgedNeighbour> neighbours;
};

// Judges a case and its neighbours as `parallax check` does.
TriggerMap trigger_map(Target& target, const Case& test);

// One row an edited thing, in the order of the neighbours.
std::vector<TriggerRow> rows_of(const TriggerMap& map);
// One line a row: "n1 = clone(n0): fails for alias_copy, detach_copy; passes for add 0".
std::string describe(const TriggerMap& map);

}  // namespace parallax
