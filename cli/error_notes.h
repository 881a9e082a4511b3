// Error notes: what a drawn graph says of each node's error, and the class it is coloured by.
#pragma once

#include <vector>

#include "corpus/value_error.h"
#include "export/dot.h"

namespace parallax {

// One note a node, of the value that is the farthest off: "12 ulp · eager 0.5 ulp". Its kind is "e0" to "e5".
// `first` is the number of the drawn graph's first node in the program, `count` how many it has.
std::vector<DotNote> error_notes(const ValueErrors& errors, std::size_t first, std::size_t count);

}  // namespace parallax
