// Whole program: what more is said of a program than one proof of all of it says.
#pragma once

#include <optional>
#include <string>

#include "fuzz/findings/part_checks.h"

namespace parallax {

struct CloserLook {
  std::string text;  // lines for a person, each ended; empty where there is nothing to add
  std::optional<WrongPart> wrong;
  std::string first_wrong;  // the operation that is named, as a node's text; empty for none
};

// Of a program that matches, whether an operation alone deviates, and where only the ensemble matches it, whether its
// parts agree by proof. Of one that deviates, the first operation that is wrong, or how wide a part must be to show it.
// Within about so many seconds: where the target is too slow for it, the text says so. Progress goes to standard error
// where that is a terminal.
CloserLook look_closer(Target& target, const Case& test, const Examination& whole, double seconds);

// Whether a program has so many nodes, 100 or more, that a look at all of it takes seconds to minutes. Where it
// deviates it is told of by a part, and not by controls and drawings of the whole.
bool is_network(const Case& test);

}  // namespace parallax
