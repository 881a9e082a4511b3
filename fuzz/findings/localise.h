// Localise: the first operation of a diverging program whose result is wrong for the operands that the target itself
// gave it.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "backends/examine.h"

namespace parallax {

// What a look for the first wrong operation found.
struct Localised {
  std::optional<NodeId> node;  // nothing where no operation alone is wrong
  std::optional<Case> alone;   // that node, on the target's own operands
  std::string detail;          // how it is wrong, as a judgement says it
  bool vanished = false;       // with its values handed out, the program is right
  std::size_t exposed = 0;     // values that the target handed out
  int runs = 0;                // in which the target handed values out
  bool in_time = true;         // all operations were looked at, or all before the wrong one
};

// Has the target hand out what lies between, a part of the values in each run. An operation is held against the proof
// on the target's operands, so errors of earlier ones do not count. Values that a later node writes are handed out as
// copies, and what a call writes is judged like what it returns. `whole`: as in expose_values. No further operation is
// judged after `seconds` of judging.
Localised localise(Target& target, const Case& test, const Outcome* whole = nullptr,
                   double seconds = std::numeric_limits<double>::infinity());

// In how many runs it does that.
std::size_t runs_to_localise(const Case& test);

// A part of a long program around its first wrong operation that diverges in the same way, with the values that eager
// has there: where a reduction begins. Nothing of a program of few nodes, or where no part shows it.
struct WrongRegion {
  Case test;
  Examination examination;
};
std::optional<WrongRegion> region_that_shows(Target& target, const Case& test, const Examination& whole);

// For a person: "the first wrong operation is #12 gelu(x): ..."; empty where there is nothing to say.
std::string localised_text(const Case& test, const Localised& found);

}  // namespace parallax
