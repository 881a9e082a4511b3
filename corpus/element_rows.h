// Element rows: what was expected of each element that a target handed back, what came, and which are wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "oracle/judge.h"

namespace parallax {

enum class ElementState { Inside, Outside, Undecided };

struct ElementRow {
  std::string index;     // "[1, 0]"
  std::string expected;  // the centre, or why it is not decided
  std::string bound;     // "[0.49, 0.51]"; empty for what is exact or not decided
  std::string got;
  std::string ulp;  // how far it came from the centre, in units in the last place; empty where that says nothing
  ElementState state = ElementState::Inside;
};

// One output, input or buffer of one run.
struct TensorElements {
  RunId run;
  Place place;
  std::string type;  // "f32[2,3]"
  int64_t total = 0;
  int64_t outside = 0;
  int64_t undecided = 0;
  std::string other;             // what is wrong beside values: "has the type f32[2]"; there are no rows then
  std::vector<ElementRow> rows;  // in order; where there are too many, the wrong ones before the others
};

// Every tensor of every run that the target handed back, at most `most_rows` elements each. Outputs that are read again
// after another run are left out where they lie in a buffer, which that run may write.
std::vector<TensorElements> elements_of_runs(const Case& test, const ExpectedRuns& expected, const Outcome& outcome,
                                             std::size_t most_rows = 64);

}  // namespace parallax
